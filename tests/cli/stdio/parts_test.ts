import { assert, assertEquals, assertRejects } from "@std/assert";
import { findId } from "../../../src/cli/stdio/find_id.ts";
import { type InputLine, readLines } from "../../../src/cli/stdio/lines.ts";
import { productOf, requestHeaders } from "../../../src/cli/stdio/request_headers.ts";
import { responseMessages, ResponseSizeError } from "../../../src/cli/stdio/response_messages.ts";
import { countReads } from "../../support/count_reads.ts";
import { CLIENT_META } from "../../support/messages.ts";

Deno.test("readLines joins chunks, splits characters nowhere, and skips blank and long lines", async () => {
  const bytes = new TextEncoder().encode("é1\r\n\n ü2 \nxxxxxxxxxxxxxxx\n{}");
  const long = { start: "xxxxxxxxx", end: "x".repeat(15) };
  const expected = [{ text: "é1\r" }, { text: " ü2 " }, long, { text: "{}" }];
  for (const size of [1, 2, 3, 100]) {
    const chunks = Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, index) => bytes.subarray(index * size, (index + 1) * size),
    );
    const lines = await Array.fromAsync(readLines(ReadableStream.from(chunks), { maxBytes: 8 }));
    assertEquals(lines.map(withShortStart), expected as typeof lines, `${size}`);
  }
});

/** The start of a long line has the bytes that had arrived, at least one more than the limit. */
function withShortStart(line: InputLine): InputLine {
  return "start" in line ? { ...line, start: line.start.slice(0, 9) } : { ...line };
}

Deno.test("readLines keeps only the start and the end of a long line", async () => {
  const bytes = new TextEncoder().encode(`{"id":1,${"x".repeat(100_000)},"id":2}\n`);
  for (const size of [1000, 97, 200_000]) {
    const chunks = Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, index) => bytes.subarray(index * size, (index + 1) * size),
    );
    const [line] = await Array.fromAsync(readLines(ReadableStream.from(chunks), { maxBytes: 50_000 }));
    const { start, end } = line as { start: string; end: string };
    assertEquals([start.length, start.slice(0, 9)], [4096, '{"id":1,x'], `${size}`);
    assertEquals([end.length, end.slice(-9)], [4096, 'x,"id":2}'], `${size}`);
  }
});

const IDS: [text: string, id: string | number | undefined][] = [
  ['{"jsonrpc":"2.0","id":7,"method":', 7],
  ['{"method":"x","params":{"id":1,"a":NaN},"id":"a b"}', "a b"],
  ['{"method":"x","params":[{"id":1}]', undefined],
  ['{"method":"id","params":{"id":1}}', undefined],
  ['{"params":"unclosed}, "jsonrpc":"2.0", "id" : -3 } ', -3],
  ['{"a":"\\"id\\":1","id":2,', 2],
  ['{"id":1.5,"method":}', undefined],
  ['{"id":12', undefined],
  [`{"id":"${"x".repeat(1025)}",`, undefined],
  ['[{"id":1,]', undefined],
  ["not JSON", undefined],
];

for (const [text, id] of IDS) {
  Deno.test(`findId in ${text.slice(0, 60)}`, () => assertEquals(findId(text), id));
}

Deno.test("findId reads hostile text once", () => {
  for (const part of ['"\\', '"id"', '"id":', "{", '"id":1']) {
    const text = `{${part.repeat(20_000)}`;
    const reads = countReads(() => findId(text), 16 * text.length + 10_000);
    assert(reads > 0);
  }
});

Deno.test("requestHeaders repeat what HTTP requires of each protocol version", () => {
  const session = { version: "2025-06-18", id: "s" };
  assertEquals(requestHeaders({ method: "initialize", params: {} }, session), {});
  assertEquals(requestHeaders({ method: "ping" }, session), {
    "mcp-protocol-version": "2025-06-18",
    "mcp-session-id": "s",
  });
  const call = { method: "tools/call", params: { name: "Suche für", _meta: CLIENT_META } };
  assertEquals(requestHeaders(call, session), {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "=?base64?U3VjaGUgZsO8cg==?=",
  });
});

Deno.test("productOf makes a product of the client's name", () => {
  assertEquals(productOf({ clientInfo: { name: "Claude Desktop", version: "1.0" } }), "Claude-Desktop/1.0");
  assertEquals(productOf({ clientInfo: { name: 7 } }), undefined);
  assertEquals(productOf({ clientInfo: null }), undefined);
});

Deno.test("responseMessages reads JSON with white space, and events of any line ending", async () => {
  const read = (body: string | null, type: string) =>
    Array.fromAsync(
      responseMessages(new Response(body, { headers: { "content-type": type } }), { maxChars: 100 }),
    );
  assertEquals(await read("  \n{}", "application/json"), ["{}"]);
  assertEquals(await read(null, "application/json"), []);
  const events = ": keep-alive\n\nevent: message\ndata: 1\n\nid: 3\r\ndata:2\r\n\r\ndata: {\ndata: }";
  assertEquals(await read(events, "text/event-stream"), ["1", "2", "{\n}"]);
  await assertRejects(() => read("x".repeat(101), "application/json"), ResponseSizeError);
});
