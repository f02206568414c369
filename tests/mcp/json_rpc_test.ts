import { assertEquals } from "@std/assert";
import { errorMessage, readMessage } from "../../src/mcp/json_rpc.ts";

const encode = (text: string) => new TextEncoder().encode(text);

const refused: { name: string; body: Uint8Array; code: number; id?: string | number }[] = [
  { name: "nothing", body: encode(""), code: -32700 },
  { name: "truncated JSON", body: encode('{"jsonrpc":"2.0","id":1,"meth'), code: -32700 },
  { name: "two values", body: encode("{}{}"), code: -32700 },
  { name: "invalid UTF-8", body: new Uint8Array([0x22, 0xff, 0xfe, 0x22]), code: -32700 },
  { name: "a byte order mark", body: encode('\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}'), code: -32700 },
  { name: "nesting of 200,000 levels, unclosed", body: encode("[".repeat(200_000)), code: -32600 },
  { name: "nesting of 10,000 levels, unclosed", body: encode("[".repeat(10_000)), code: -32700 },
  {
    name: "a million tiny values",
    body: encode(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":[${"{},".repeat(1_000_000)}1]}}`),
    code: -32600,
  },
  {
    name: "nesting of 200,000 levels",
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
  { name: "no version", body: encode('{"id":"a","method":"ping"}'), code: -32600, id: "a" },
  {
    name: "a method that is no string",
    body: encode('{"jsonrpc":"2.0","id":1,"method":1}'),
    code: -32600,
    id: 1,
  },
  {
    name: "params as a list",
    body: encode('{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}'),
    code: -32600,
    id: 1,
  },
  { name: "an id of null", body: encode('{"jsonrpc":"2.0","id":null,"method":"ping"}'), code: -32600 },
  { name: "an id with a fraction", body: encode('{"jsonrpc":"2.0","id":1.5,"method":"ping"}'), code: -32600 },
  {
    name: "an id too large to count with",
    body: encode('{"jsonrpc":"2.0","id":1e400,"method":"ping"}'),
    code: -32600,
  },
  {
    name: "an id that is an object",
    body: encode('{"jsonrpc":"2.0","id":{},"method":"ping"}'),
    code: -32600,
  },
  { name: "neither method nor result", body: encode('{"jsonrpc":"2.0","id":1}'), code: -32600, id: 1 },
];

for (const { name, body, code, id } of refused) {
  Deno.test(`readMessage refuses ${name} with ${code}`, () => {
    const inbound = readMessage(body);
    assertEquals(inbound.kind, "invalid");
    if (inbound.kind !== "invalid") return;
    assertEquals(inbound.code, code);
    assertEquals(inbound.id, id);
  });
}

Deno.test("readMessage takes a long text full of braces, brackets, commas and quotes", () => {
  const text = '{[,"\\'.repeat(100_000);
  const inbound = readMessage(
    encode(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "m", params: { text } })),
  );
  assertEquals(inbound.kind === "request" && inbound.request.params?.["text"], text);
});

Deno.test("readMessage tells requests from notifications and responses", () => {
  const kinds = [
    ['{"jsonrpc":"2.0","id":0,"method":"ping"}', "request"],
    ['{"jsonrpc":"2.0","id":"x","method":"tools/list","params":{}}', "request"],
    ['{"jsonrpc":"2.0","method":"notifications/initialized"}', "notification"],
    ['{"jsonrpc":"2.0","id":1,"result":{}}', "response"],
    ['{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"m"}}', "response"],
  ] as const;
  for (const [text, kind] of kinds) assertEquals(readMessage(encode(text)).kind, kind, text);
});

Deno.test("errorMessage leaves an unknown id out, since MCP's schema allows no null", () => {
  assertEquals(errorMessage(-32700, "m"), '{"jsonrpc":"2.0","error":{"code":-32700,"message":"m"}}');
  assertEquals(
    errorMessage(-32600, "m", 0, { supported: [] }),
    '{"jsonrpc":"2.0","id":0,"error":{"code":-32600,"message":"m","data":{"supported":[]}}}',
  );
});
