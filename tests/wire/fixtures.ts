import { AssertionError } from "@std/assert";
import type { RawResponse } from "./raw_http.ts";

/** One literal request and what must come back. */
export interface Fixture {
  readonly title: string;
  /** Request line and headers. */
  readonly head: string;
  readonly body: string;
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** JSON text, Server-Sent Events, or nothing. */
  readonly answer: string;
}

/**
 * Reads a file of fixtures. They are written by hand from the specification, never from what the server said.
 *
 * Each begins with `### title`, then comments (`#`, the clause), the request, and the answer from the line that begins
 * with `HTTP/1.1`. A request that begins with its body has the head that stands before the first `###`.
 */
export function readFixtures(text: string): Fixture[] {
  const [preamble = "", ...sections] = text.split(/^### /m);
  const commonHead = withoutComments(preamble).trim();
  return sections.map((section) => {
    const [title = "", ...lines] = withoutComments(section).split("\n");
    const rest = lines.join("\n");
    const answerAt = rest.search(/^HTTP\/1\.1 /m);
    if (answerAt < 0) throw new Error(`Fixture "${title}" has no answer`);
    const request = rest.slice(0, answerAt).trim();
    const hasHead = /^[A-Z]+ \S+ HTTP\/1\.1$/m.test(request.split("\n")[0] ?? "");
    const [head, body] = hasHead ? splitOnce(request, "\n\n") : [commonHead, request];
    const [answerHead, answer] = splitOnce(rest.slice(answerAt).trim(), "\n\n");
    const [statusLine = "", ...headerLines] = answerHead.split("\n");
    return {
      title: title.trim(),
      head,
      body,
      status: Number(statusLine.split(" ")[1]),
      headers: new Map(
        headerLines.map((line) => splitOnce(line, ":").map((part) => part.trim()) as [string, string]),
      ),
      answer,
    };
  });
}

/** Fails unless an answer is what its fixture says. */
export function assertAnswer(actual: RawResponse, fixture: Fixture): void {
  const { status, headers, answer } = fixture;
  if (actual.status !== status) fail("status", actual.status, status, `: ${actual.body.slice(0, 300)}`);
  for (const [name, expected] of headers) {
    const value = actual.headers.get(name.toLowerCase());
    if (expected === "{{absent}}") {
      if (value !== undefined) fail(`header ${name}`, value, "absent");
    } else assertMatches(value, expected, `header ${name}`);
  }
  if (answer === "") {
    if (actual.body !== "") fail("body", actual.body, "empty");
  } else if (headers.get("Content-Type") === "text/event-stream") {
    assertMatches(readEvents(actual.body), readEvents(`${answer}\n\n`), "events");
  } else assertMatches(JSON.parse(actual.body), JSON.parse(answer), "body");
}

/** The messages of a stream, in which each event must be framed as our fixtures frame them. */
function readEvents(stream: string): unknown[] {
  if (!stream.endsWith("\n\n")) fail("stream", stream, "an end after an empty line");
  return stream.split("\n\n").slice(0, -1)
    .filter((event) => !event.startsWith(":")) // a comment keeps the connection alive, and may come at any time
    .map((event) => {
      const data = /^event: message\ndata: (.+)$/.exec(event)?.[1];
      return data === undefined ? fail("event", event, "event: message\\ndata: {…}") : JSON.parse(data);
    });
}

/**
 * Fails unless a JSON value is as expected: deeply equal, but for the placeholders `{{any}}`, `{{string}}`, `{{integer}}`,
 * `{{count}}` (an integer from 0), `{{/regular expression/}}`, keys that end in `?` (may be missing), and a key `...`
 * (there may be more than those named).
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
    if (rest.size > 0 && !("..." in expected)) fail(path, [...rest.keys()], "nothing more");
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

function fail(what: string, actual: unknown, expected: unknown, more = ""): never {
  throw new AssertionError({
    message: `${what} is ${JSON.stringify(actual)}, expected ${JSON.stringify(expected)}${more}`,
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
