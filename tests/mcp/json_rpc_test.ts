import { assertEquals } from "@std/assert";
import { errorMessage, parseMessage } from "../../src/mcp/json_rpc.ts";

const encode = (text: string) => new TextEncoder().encode(text);

const invalid: { name: string; body: Uint8Array; code: number; id?: string | number }[] = [
  { name: "an empty body", body: encode(""), code: -32700 },
  { name: "truncated JSON", body: encode('{"jsonrpc":"2.0","id":1,"meth'), code: -32700 },
  { name: "two values", body: encode("{}{}"), code: -32700 },
  { name: "invalid UTF-8", body: new Uint8Array([0x22, 0xff, 0xfe, 0x22]), code: -32700 },
  {
    name: "a string that ends within a character",
    body: encode('{"jsonrpc":"2.0","id":"é","method":"ping"}').filter((byte) => byte !== 0xa9),
    code: -32700,
  },
  { name: "a byte order mark", body: encode('\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}'), code: -32700 },
  { name: "10,000 unclosed brackets", body: encode("[".repeat(10_000)), code: -32700 },
  {
    name: "200,000 levels of nesting",
    body: encode("[".repeat(200_000) + "]".repeat(200_000)),
    code: -32600,
  },
  { name: "a batch", body: encode('[{"jsonrpc":"2.0","id":1,"method":"ping"}]'), code: -32600 },
  { name: "a number", body: encode("1"), code: -32600 },
  { name: "null", body: encode("null"), code: -32600 },
  {
    name: "another JSON-RPC version",
    body: encode('{"jsonrpc":"1.0","id":7,"method":"ping"}'),
    code: -32600,
    id: 7,
  },
  { name: "a missing JSON-RPC version", body: encode('{"id":"a","method":"ping"}'), code: -32600, id: "a" },
  {
    name: "a method that is not a string",
    body: encode('{"jsonrpc":"2.0","id":1,"method":1}'),
    code: -32600,
    id: 1,
  },
  {
    name: "params that are an array",
    body: encode('{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}'),
    code: -32600,
    id: 1,
  },
  { name: "an id of null", body: encode('{"jsonrpc":"2.0","id":null,"method":"ping"}'), code: -32600 },
  { name: "a fractional id", body: encode('{"jsonrpc":"2.0","id":1.5,"method":"ping"}'), code: -32600 },
  {
    name: "an infinite id",
    body: encode('{"jsonrpc":"2.0","id":1e400,"method":"ping"}'),
    code: -32600,
  },
  {
    name: "an id that is an object",
    body: encode('{"jsonrpc":"2.0","id":{},"method":"ping"}'),
    code: -32600,
  },
  {
    name: "an id of 1,025 characters",
    body: encode(`{"jsonrpc":"2.0","id":"${"x".repeat(1025)}","method":"ping"}`),
    code: -32600,
  },
  {
    name: "a long id with an unknown JSON-RPC version",
    body: encode(`{"jsonrpc":"1.0","id":"${"x".repeat(1025)}","method":"ping"}`),
    code: -32600,
  },
  {
    name: "a message without a method or result",
    body: encode('{"jsonrpc":"2.0","id":1}'),
    code: -32600,
    id: 1,
  },
];

for (const { name, body, code, id } of invalid) {
  Deno.test(`parseMessage rejects ${name} with ${code}`, () => {
    const message = parseMessage(body);
    assertEquals(message.kind, "invalid");
    if (message.kind !== "invalid") return;
    assertEquals(message.error.code, code);
    assertEquals(message.id, id);
  });
}

Deno.test("parseMessage accepts a long string full of braces, brackets, commas and quotes", () => {
  const text = '{[,"\\'.repeat(100_000);
  const message = parseMessage(
    encode(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "m", params: { text } })),
  );
  assertEquals(message.kind === "request" && message.request.params?.["text"], text);
});

Deno.test("parseMessage accepts the replacement character U+FFFD", () => {
  const message = parseMessage(encode('{"jsonrpc":"2.0","id":"\ufffd","method":"ping"}'));
  assertEquals(message.kind === "request" && message.request.id, "\ufffd");
});

Deno.test("parseMessage distinguishes requests, notifications and responses", () => {
  const kinds = [
    ['{"jsonrpc":"2.0","id":0,"method":"ping"}', "request"],
    ['{"jsonrpc":"2.0","id":"x","method":"tools/list","params":{}}', "request"],
    ['{"jsonrpc":"2.0","method":"notifications/initialized"}', "notification"],
    ['{"jsonrpc":"2.0","id":1,"result":{}}', "response"],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}', "response"],
  ] as const;
  for (const [text, kind] of kinds) assertEquals(parseMessage(encode(text)).kind, kind, text);
});

Deno.test("errorMessage omits an unknown id, because MCP's schema does not allow null", () => {
  assertEquals(
    errorMessage({ code: -32700, message: "m" }),
    '{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}',
  );
  assertEquals(
    errorMessage({ code: -32600, message: "m", data: { supported: [] } }, 0),
    '{"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":"m","data":{"supported":[]}}}',
  );
});

Deno.test("an id of 1,024 characters is repeated", () => {
  const id = "x".repeat(1024);
  const message = parseMessage(encode(JSON.stringify({ jsonrpc: "2.0", id, method: "ping" })));
  assertEquals(message.kind === "request" && message.request.id, id);
});

Deno.test("errorMessage escapes invisible characters of a caller", () => {
  assertEquals(
    JSON.parse(errorMessage({ code: -32602, message: "Unknown tool: kb\u202e_\u{e0041}get\r\n\x1b[2J" }))
      .error.message,
    String.raw`Unknown tool: kb\u202e_\udb40\udc41get\u000d\u000a\u001b[2J`,
  );
});
