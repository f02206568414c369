import { AssertionError } from "@std/assert";
import type { RawResponse } from "./raw_http.ts";

/** A literal request and the expected response. */
export interface Fixture {
  readonly title: string;
  /** Request line and headers. */
  readonly head: string;
  readonly body: string;
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** Expected body: JSON text, Server-Sent Events, or empty. */
  readonly responseBody: string;
}

/**
 * Parses a file of fixtures, which are written by hand from the specification, never copied from the server's
 * output.
 *
 * Each fixture has a line `### title`, comments (`#`, the clause), the request, and the response, which
 * begins with `HTTP/1.1`. A request without a head uses the head before the first `###`.
 */
export function readFixtures(text: string): Fixture[] {
  const [preamble = "", ...sections] = text.split(/^### /m);
  const commonHead = withoutComments(preamble).trim();
  return sections.map((section) => {
    const [title = "", ...lines] = withoutComments(section).split("\n");
    const rest = lines.join("\n");
    const responseAt = rest.search(/^HTTP\/1\.1 /m);
    if (responseAt < 0) throw new Error(`Fixture "${title}" has no response`);
    const request = rest.slice(0, responseAt).trim();
    const hasHead = /^[A-Z]+ \S+ HTTP\/1\.1$/m.test(request.split("\n")[0] ?? "");
    const [head, body] = hasHead ? splitOnce(request, "\n\n") : [commonHead, request];
    const [responseHead, responseBody] = splitOnce(rest.slice(responseAt).trim(), "\n\n");
    const [statusLine = "", ...headerLines] = responseHead.split("\n");
    return {
      title: title.trim(),
      head,
      body,
      status: Number(statusLine.split(" ")[1]),
      headers: new Map(
        headerLines.map((line) => splitOnce(line, ":").map((part) => part.trim()) as [string, string]),
      ),
      responseBody,
    };
  });
}

/** Asserts that a response matches its fixture. */
export function assertResponse(actual: RawResponse, fixture: Fixture): void {
  const { status, headers, responseBody } = fixture;
  if (actual.status !== status) fail("status", actual.status, status, `: ${actual.body.slice(0, 300)}`);
  for (const [name, expected] of headers) {
    const value = actual.headers.get(name.toLowerCase());
    if (expected === "{{absent}}") {
      if (value !== undefined) fail(`header ${name}`, value, "absent");
    } else assertMatches(value, expected, `header ${name}`);
  }
  if (responseBody === "") {
    if (actual.body !== "") fail("body", actual.body, "empty");
  } else if (headers.get("Content-Type") === "text/event-stream") {
    assertMatches(readEvents(actual.body), readEvents(`${responseBody}\n\n`), "events");
  } else assertMatches(JSON.parse(actual.body), JSON.parse(responseBody), "body");
}

/**
 * Returns the messages of an event stream; fails if an event has other fields than `event: message` and one
 * `data`.
 */
function readEvents(stream: string): unknown[] {
  if (!stream.endsWith("\n\n")) fail("stream", stream, "a stream that ends with an empty line");
  return stream.split("\n\n").slice(0, -1)
    .filter((event) => !event.startsWith(":")) // comments keep the connection alive
    .map((event) => {
      const data = /^event: message\ndata: (.+)$/.exec(event)?.[1];
      return data === undefined ? fail("event", event, "event: message\\ndata: {…}") : JSON.parse(data);
    });
}

/**
 * Asserts that a JSON value is deeply equal to the expected one, except for the placeholders `{{any}}`,
 * `{{string}}`, `{{integer}}`, `{{count}}` (an integer from 0), `{{/regular expression/}}`, keys that end in
 * `?` (optional), and a key `...` (further keys are allowed).
 */
function assertMatches(actual: unknown, expected: unknown, path: string): void {
  if (typeof expected === "string" && expected.startsWith("{{")) {
    if (!fitsPlaceholder(actual, expected)) fail(path, actual, expected);
  } else if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) fail(path, actual, expected);
    expected.forEach((item, index) => assertMatches((actual as unknown[])[index], item, `${path}[${index}]`));
  } else if (typeof expected === "object" && expected !== null) {
    if (typeof actual !== "object" || actual === null || Array.isArray(actual)) fail(path, actual, expected);
    const rest = new Map(Object.entries(actual as object));
    for (const [key, value] of Object.entries(expected)) {
      if (key === "...") continue;
      const name = key.replace(/\?$/, "");
      if (rest.has(name)) assertMatches(rest.get(name), value, `${path}.${name}`);
      else if (!key.endsWith("?")) fail(`${path}.${name}`, undefined, value);
      rest.delete(name);
    }
    if (rest.size > 0 && !("..." in expected)) fail(path, [...rest.keys()], "no further keys");
  } else if (actual !== expected) fail(path, actual, expected);
}

function fitsPlaceholder(actual: unknown, placeholder: string): boolean {
  const kind = placeholder.slice(2, -2);
  if (kind === "any") return true;
  if (kind === "string") return typeof actual === "string" && actual !== "";
  if (kind === "integer") return Number.isInteger(actual);
  if (kind === "count") return Number.isInteger(actual) && (actual as number) >= 0;
  const [, source, flags] = /^\/(.*)\/([a-z]*)$/.exec(kind) ?? [];
  if (source === undefined) throw new Error(`Unknown placeholder ${placeholder}`);
  return typeof actual === "string" && new RegExp(source, flags).test(actual);
}

function fail(path: string, actual: unknown, expected: unknown, more = ""): never {
  throw new AssertionError({
    message: `${path} is ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}${more}`,
    actual,
    expected,
  });
}

function withoutComments(text: string): string {
  return text.replace(/^#(?!##).*\n/gm, "");
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}
