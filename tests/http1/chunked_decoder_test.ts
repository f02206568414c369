import { assertEquals, assertThrows } from "@std/assert";
import { ChunkedDecoder } from "../../src/http1/chunked_decoder.ts";
import { ProtocolError } from "../../src/http1/protocol_error.ts";

/** Decodes a body that arrives in parts of a size. */
function decode(text: string, partSize = Infinity): { body: string; isDone: boolean; rest: string } {
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  const input = {
    bytes,
    start: 0,
    end: 0,
    consume(count: number) {
      input.start += count;
    },
  };
  const decoder = new ChunkedDecoder();
  let body = "";
  while (input.end < bytes.byteLength && !decoder.isDone) {
    input.end = Math.min(bytes.byteLength, input.end + partSize);
    for (let data; (data = decoder.decode(input));) body += String.fromCharCode(...data);
  }
  return { body, isDone: decoder.isDone, rest: text.slice(input.start) };
}

Deno.test("a chunked body is decoded, however it is divided (RFC 9112 §7.1)", () => {
  const body =
    '4\r\nWiki\r\n00005;a;b=c;d="e\\";f"\r\npedia\r\nC\r\n in\r\n\r\nchunk\r\n0;x\r\nTrailer: y\r\n\r\nGET';
  for (const partSize of [1, 2, 3, 5, 7, 11, 100]) {
    const { rest, ...decoded } = decode(body, partSize);
    assertEquals(decoded, { body: "Wikipedia in\r\n\r\nchunk", isDone: true }, `parts of ${partSize} bytes`);
    if (partSize === 1 || partSize === 100) assertEquals(rest.endsWith("GET"), true);
  }
});

Deno.test("nothing after the last chunk is consumed", () => {
  assertEquals(decode("0\r\n\r\nGET / HTTP/1.1"), { body: "", isDone: true, rest: "GET / HTTP/1.1" });
});

Deno.test("an incomplete body is not done", () => {
  for (const text of ["", "4", "4\r\n", "4\r\nWiki", "4\r\nWiki\r\n", "0\r\n", "0\r\nA: b\r\n"]) {
    assertEquals(decode(text).isDone, false, JSON.stringify(text));
  }
});

const MALFORMED: readonly [reason: string, body: string][] = [
  ["no size", "\r\n"],
  ["not hexadecimal", "g\r\n"],
  ["sign", "+4\r\nWiki\r\n"],
  ["prefix", "0x4\r\nWiki\r\n"],
  ["space before the size", " 4\r\nWiki\r\n"],
  ["space after the size", "4 \r\nWiki\r\n"],
  ["size that is not exact as a number", "fffffffffffff\r\n"],
  ["bare LF after the size", "4\nWiki\r\n"],
  ["bare CR after the size", "4\rX\r\n"],
  ["data longer than its size", "4\r\nWikip\r\n"],
  ["bare LF after the data", "4\r\nWiki\n0\r\n\r\n"],
  ["extension without a name", "4;\r\nWiki\r\n"],
  ["space in an extension", "4; a=b\r\nWiki\r\n"],
  ["control character in an extension", "4;a=\x01\r\nWiki\r\n"],
  ["quotes that do not end", '4;a="\r\nWiki\r\n'],
  ["long line", `4;${"a".repeat(300)}\r\nWiki\r\n`],
  ["endless line", "0".repeat(300)],
  ["trailer without a colon", "0\r\nA\r\n\r\n"],
  ["framing field as a trailer", "0\r\nContent-Length: 1\r\n\r\n"],
  ["folded trailer", "0\r\nA: b\r\n c\r\n\r\n"],
  ["bare LF in the trailers", "0\r\nA: b\n\r\n"],
  ["many extensions", `1;${"a".repeat(200)}\r\nx\r\n`.repeat(30)],
  ["many trailers", `0\r\n${`A: ${"b".repeat(200)}\r\n`.repeat(30)}`],
];

for (const [reason, body] of MALFORMED) {
  Deno.test(`malformed chunks: ${reason}`, () => {
    assertThrows(() => decode(body), ProtocolError);
    assertThrows(() => decode(body, 1), ProtocolError);
  });
}
