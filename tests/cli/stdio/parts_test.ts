import { assertEquals, assertRejects } from "@std/assert";
import { readLines } from "../../../src/cli/stdio/lines.ts";
import { productOf, requestHeaders } from "../../../src/cli/stdio/request_headers.ts";
import { responseMessages, ResponseSizeError } from "../../../src/cli/stdio/response_messages.ts";
import { CLIENT_META } from "../../support/messages.ts";

Deno.test("readLines joins chunks, splits characters nowhere, and skips blank and long lines", async () => {
  const bytes = new TextEncoder().encode("é1\r\n\n ü2 \nxxxxxxxxxxxxxxx\n{}");
  const expected = [{ text: "é1\r" }, { text: " ü2 " }, { isTooLong: true }, { text: "{}" }];
  for (const size of [1, 2, 3, 100]) {
    const chunks = Array.from(
      { length: Math.ceil(bytes.length / size) },
      (_, index) => bytes.subarray(index * size, (index + 1) * size),
    );
    const lines = await Array.fromAsync(readLines(ReadableStream.from(chunks), { maxBytes: 8 }));
    assertEquals(lines.map((line) => ({ ...line })), expected as typeof lines, `${size}`);
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
