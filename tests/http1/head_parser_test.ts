import { assertEquals, assertThrows } from "@std/assert";
import { bodyFraming } from "../../src/http1/body_framing.ts";
import { checkPartialHead, findHeadEnd, parseHead } from "../../src/http1/head_parser.ts";
import { ProtocolError } from "../../src/http1/protocol_error.ts";
import { requestUrl } from "../../src/http1/request_target.ts";

const LOCAL = "127.0.0.1:8808";

/** Returns one byte per character. */
function latin1(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

/** Parses a complete head; returns its URL and framing, or the status that rejects it. */
function parse(head: string): [url: string, framing: number | "chunked"] | number {
  const bytes = latin1(head);
  try {
    const end = findHeadEnd(bytes, 0, bytes.byteLength);
    if (end < 0) {
      checkPartialHead(bytes, 0, bytes.byteLength);
      return 0;
    }
    const parsed = parseHead(bytes.subarray(0, end));
    return [requestUrl(parsed, LOCAL), bodyFraming(parsed)];
  } catch (error) {
    if (error instanceof ProtocolError) return error.status;
    throw error;
  }
}

/** Parses a request for `/` with further field lines. */
function withFields(...lines: readonly string[]): ReturnType<typeof parse> {
  return parse(["POST / HTTP/1.1", "Host: a", ...lines, "", ""].join("\r\n"));
}

const ACCEPTED: readonly [clause: string, head: string, url: string, framing: number | "chunked"][] = [
  ["RFC 9112 §2.1", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "http://a/", 0],
  ["RFC 9112 §3.2.1 origin-form", "GET /x?y=/%20 HTTP/1.1\r\nHost: a:80\r\n\r\n", "http://a:80/x?y=/%20", 0],
  ["RFC 9112 §3.2.2 replaces Host", "GET http://b/x HTTP/1.1\r\nHost: a\r\n\r\n", "http://b/x", 0],
  ["RFC 9112 §3.2.2 without path", "GET HTTP://b?q HTTP/1.1\r\nHost: a\r\n\r\n", "http://b/?q", 0],
  ["RFC 9112 §3.2.4", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "http://a/*", 0],
  ["RFC 9112 §3.2 HTTP/1.0 without Host", "GET / HTTP/1.0\r\n\r\n", `http://${LOCAL}/`, 0],
  ["RFC 9110 §7.2 IPv6", "GET / HTTP/1.1\r\nhost: [::1]:8808\r\n\r\n", "http://[::1]:8808/", 0],
  ["RFC 9112 §5.1 spaces around a value", "GET / HTTP/1.1\r\nHost:\t a \t\r\n\r\n", "http://a/", 0],
  ["RFC 9110 §5.5 empty value", "GET / HTTP/1.1\r\nHost: a\r\nX:\r\n\r\n", "http://a/", 0],
  ["RFC 9110 §5.5 obs-text", "GET / HTTP/1.1\r\nHost: a\r\nX: \xff\r\n\r\n", "http://a/", 0],
  ["RFC 9110 §9.1 any token", "M-SEARCH / HTTP/1.1\r\nHost: a\r\n\r\n", "http://a/", 0],
  ["RFC 9112 §6.2", "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 05\r\n\r\n", "http://a/", 5],
  [
    "RFC 9112 §6.1",
    "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n",
    "http://a/",
    "chunked",
  ],
];

for (const [clause, head, url, framing] of ACCEPTED) {
  Deno.test(`accepted: ${JSON.stringify(head)} (${clause})`, () => assertEquals(parse(head), [url, framing]));
}

const REJECTED: readonly [clause: string, head: string, status: number][] = [
  ["RFC 9112 §2.2 bare LF", "GET / HTTP/1.1\nHost: a\n\n", 400],
  ["RFC 9112 §2.2 bare LF at the end", "GET / HTTP/1.1\r\nHost: a\n\n", 400],
  ["RFC 9112 §2.2 bare CR", "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n", 400],
  ["RFC 9112 §2.2 space before the first field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400],
  ["RFC 9112 §3 two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ["RFC 9112 §3 tab", "GET\t/ HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ["RFC 9112 §3 trailing space", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400],
  ["RFC 9112 §3 no version", "GET /\r\nHost: a\r\n\r\n", 400],
  ["RFC 9112 §2.3 case of the version", "GET / http/1.1\r\nHost: a\r\n\r\n", 400],
  ["RFC 9112 §2.3 digits of the version", "GET / HTTP/1.10\r\nHost: a\r\n\r\n", 400],
  ["RFC 9110 §2.5 minor version", "GET / HTTP/1.2\r\nHost: a\r\n\r\n", 505],
  ["RFC 9113 §3.4 preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505],
  ["RFC 9110 §9.1 method", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ["RFC 9112 §3.2 control character in the target", "GET /\x01 HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ["RFC 9112 §3.2 raw UTF-8 in the target", "GET /\xc3\xbc HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ["RFC 9112 §3.2.1 fragment", "GET /#x HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ["RFC 9112 §3.2.1 relative path", "GET x HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ["RFC 9112 §3.2.2 other scheme", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ["RFC 9110 §4.2.4 user information", "GET http://u:p@a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ["RFC 9110 §4.2.1 empty host", "GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ["RFC 9112 §3.2.3", "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", 501],
  ["RFC 9112 §3.2.4 other method", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400],
  ["RFC 9112 §3.2 no Host", "GET / HTTP/1.1\r\n\r\n", 400],
  ["RFC 9112 §3.2 two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400],
  ["RFC 9112 §3.2 empty Host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400],
  ["RFC 9112 §3.2 invalid Host", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400],
  ["RFC 9112 §3.2 Host with user", "GET / HTTP/1.1\r\nHost: a@b\r\n\r\n", 400],
  ["RFC 9112 §3.2 list of Hosts", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", 400],
  ["RFC 9112 §5 no colon", "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", 400],
  ["RFC 9112 §5 no name", "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", 400],
  ["RFC 9112 §5.1 space before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400],
  ["RFC 9112 §5.2 folded line", "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n", 400],
  ["RFC 9110 §5.1 name", "GET / HTTP/1.1\r\nHost: a\r\nX\xe9: b\r\n\r\n", 400],
  ["RFC 9110 §5.5 NUL", "GET / HTTP/1.1\r\nHost: a\r\nX: \0\r\n\r\n", 400],
  ["RFC 9110 §5.5 DEL", "GET / HTTP/1.1\r\nHost: a\r\nX: \x7f\r\n\r\n", 400],
  ["a TLS handshake", "\x16\x03\x01\x02\x00", 400],
  ["RFC 9112 §3 request line", `GET /${"x".repeat(8200)} HTTP/1.1\r\nHost: a\r\n\r\n`, 414],
  ["RFC 9112 §3 endless request line", `GET /${"x".repeat(8200)}`, 414],
  ["RFC 6585 §5 head", `GET / HTTP/1.1\r\nHost: a\r\n${`X: ${"y".repeat(4000)}\r\n`.repeat(9)}\r\n`, 431],
  ["RFC 6585 §5 endless head", `GET / HTTP/1.1\r\nX: ${"y".repeat(33_000)}`, 431],
  ["RFC 6585 §5 fields", `GET / HTTP/1.1\r\nHost: a\r\n${"X: y\r\n".repeat(100)}\r\n`, 431],
];

for (const [clause, head, status] of REJECTED) {
  Deno.test(`${status}: ${JSON.stringify(head.slice(0, 60))} (${clause})`, () => {
    assertEquals(parse(head), status);
  });
}

Deno.test("framing that two readers could understand differently is rejected (RFC 9112 §6.3)", () => {
  const cases: [fields: string[], status: number][] = [
    [["Content-Length: 5", "Content-Length: 6"], 400],
    [["Content-Length: 5", "Content-Length: 5"], 400],
    [["Content-Length: 5, 5"], 400],
    [["Content-Length: +5"], 400],
    [["Content-Length: -5"], 400],
    [["Content-Length: 0x5"], 400],
    [["Content-Length: 5.0"], 400],
    [["Content-Length: 5 5"], 400],
    [["Content-Length:"], 400],
    [["Content-Length: 1234567890123456"], 400],
    [["Content-Length: \xb2"], 400],
    [["Content-Length: 5", "Transfer-Encoding: chunked"], 400],
    [["Transfer-Encoding: chunked", "Content-Length: 0"], 400],
    [["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], 400],
    [["Transfer-Encoding: chunked, chunked"], 400],
    [["Transfer-Encoding: chunked, identity"], 400],
    [["Transfer-Encoding: identity"], 400],
    [["Transfer-Encoding: xchunked"], 400],
    [["Transfer-Encoding: chunked;a=b"], 400],
    [["Transfer-Encoding: ,chunked"], 400],
    [['Transfer-Encoding: "chunked"'], 400],
    [["Transfer-Encoding:"], 400],
    [["Transfer-Encoding: \x0bchunked"], 400],
    [["Transfer-Encoding: gzip, chunked"], 501],
    [["Transfer-Encoding: gzip", "Transfer-Encoding: chunked"], 501],
  ];
  for (const [fields, status] of cases) assertEquals(withFields(...fields), status, fields.join(" | "));
  assertEquals(parse("POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"), 400);
});

Deno.test("fields are found by name in any case, and repeated ones are joined", () => {
  const head = parseHead(latin1("GET / HTTP/1.1\r\nHost: a\r\nACCEPT: x\r\naccept:y\r\nX: \xe9\r\n"));
  assertEquals(head.headers.get("Accept"), "x, y");
  assertEquals(head.headers.get("x"), "\xe9");
  assertEquals(head.headers.get("y"), null);
  assertEquals([head.headers.has("HOST"), head.headers.has("y")], [true, false]);
});

Deno.test("the authority of the target is the Host that handlers see", () => {
  const head = parseHead(latin1("GET http://real.example/ HTTP/1.1\r\nHost: forged.example\r\n"));
  requestUrl(head, LOCAL);
  assertEquals(head.headers.get("host"), "real.example");
});

Deno.test("the end of a head is found across reads", () => {
  const bytes = latin1("GET / HTTP/1.1\r\nHost: a\r\n\r\nrest");
  for (let end = 0; end < bytes.byteLength; end++) {
    const from = Math.max(0, end - 4);
    assertEquals(findHeadEnd(bytes, from, end), end >= 27 ? 25 : -1, `${end} bytes`);
  }
  assertThrows(() => findHeadEnd(latin1("\n"), 0, 1), ProtocolError);
});
