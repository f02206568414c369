import { assert, assertEquals, assertMatch } from "@std/assert";
import { openDoor } from "../support/door.ts";
import { ENVELOPE, modern, request } from "../support/messages.ts";

const without = (name: string) =>
  Object.fromEntries(
    Object.entries(modern("tools/call", { name: "whoami" })[1]).filter(([key]) => key !== name),
  );

const mismatches: [string, Record<string, string>, RegExp][] = [
  ["no MCP-Protocol-Version", without("mcp-protocol-version"), /MCP-Protocol-Version/],
  ["no Mcp-Method", without("mcp-method"), /Mcp-Method/],
  ["no Mcp-Name", without("mcp-name"), /Mcp-Name/],
  ["another version", { "mcp-protocol-version": "2025-11-25" }, /2025-11-25/],
  ["another Mcp-Method", { "mcp-method": "tools/list" }, /Mcp-Method/],
  ["Mcp-Method in other case", { "mcp-method": "TOOLS/CALL" }, /Mcp-Method/],
  ["another Mcp-Name", { "mcp-name": "mistaken" }, /Mcp-Name/],
  ["Mcp-Name in broken Base64", { "mcp-name": "=?base64?%%?=" }, /Base64/],
  ["Mcp-Name in Base64 of other text", { "mcp-name": "=?base64?bm90?=" }, /Mcp-Name/],
];
for (const [name, changed, text] of mismatches) {
  Deno.test(`a call with ${name} is refused with 400 and -32020`, async () => {
    await using mcp = await openDoor();
    const [message, headers] = modern("tools/call", { name: "whoami" }, "x");
    const sent = name.startsWith("no ") ? changed : { ...headers, ...changed };
    const answer = await mcp.send(message, sent);
    assertEquals([answer.status, answer.message.id, answer.message.error.code], [400, "x", -32020]);
    assertMatch(answer.message.error.message, text);
    assertEquals(mcp.door.pending, 0);
  });
}

Deno.test("a call that names no tool, in its header or its body, is a mismatch", async () => {
  await using mcp = await openDoor();
  const [message, headers] = modern("tools/call");
  for (const more of [{}, { "mcp-name": "whoami" }]) {
    const answer = await mcp.send(message, { ...headers, ...more });
    assertEquals([answer.status, answer.message.error.code], [400, -32020]);
  }
});

for (
  const [name, _meta] of [
    ["clientInfo without a version", { "io.modelcontextprotocol/clientInfo": { name: "c" } }],
    ["clientInfo that is text", { "io.modelcontextprotocol/clientInfo": "c" }],
    ["clientCapabilities that are text", { "io.modelcontextprotocol/clientCapabilities": "c" }],
    ["a log level that there is not", { "io.modelcontextprotocol/logLevel": "shouting" }],
  ] as const
) {
  Deno.test(`${name} is refused with 400 and -32602`, async () => {
    await using mcp = await openDoor();
    const answer = await mcp.send(...modern("tools/list", { _meta }));
    assertEquals([answer.status, answer.message.error.code], [400, -32602]);
  });
}

Deno.test("a refusal does not repeat a megabyte that was sent", async () => {
  await using mcp = await openDoor();
  const long = "x".repeat(2 ** 20);
  const [message, headers] = modern("tools/list");
  const claim = { ...ENVELOPE, "io.modelcontextprotocol/protocolVersion": long };
  const refused = [
    await mcp.send({ ...message, method: long }, headers),
    await mcp.send({ ...message, params: { _meta: claim } }, headers),
    await mcp.send(...modern(long)),
  ];
  for (const answer of refused) assert(JSON.stringify(answer.message).length < 2000);
});

for (const key of ["protocolVersion", "clientCapabilities"] as const) {
  Deno.test(`a request without ${key} in its _meta is refused with 400 and -32602`, async () => {
    await using mcp = await openDoor();
    const [message, headers] = modern("tools/list");
    const { [`io.modelcontextprotocol/${key}` as keyof typeof ENVELOPE]: _, ..._meta } = ENVELOPE;
    const answer = await mcp.send({ ...message, params: { _meta } }, headers);
    assertEquals([answer.status, answer.message.id, answer.message.error.code], [400, 0, -32602]);
    assertMatch(answer.message.error.message, new RegExp(key));
  });
}

const ALL = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
const claims = [
  ["a later", "2099-01-01", ALL],
  // It is spoken, but begins with initialize; a client that is told to try it again would do so for ever.
  ["an earlier", "2025-11-25", ["2026-07-28"]],
] as const;
for (const [name, claim, supported] of claims) {
  Deno.test(`${name} revision claimed by a request is refused with 400 and -32022, and those that are spoken`, async () => {
    await using mcp = await openDoor();
    const [message, headers] = modern("tools/list", {
      _meta: { "io.modelcontextprotocol/protocolVersion": claim },
    });
    const answer = await mcp.send(message, { ...headers, "mcp-protocol-version": claim });
    assertEquals([answer.status, answer.message.error.code], [400, -32022]);
    assertEquals(answer.message.error.data, { supported, requested: claim });
  });
}

Deno.test("a revision of neither era, named in the header only, is refused the same way", async () => {
  await using mcp = await openDoor();
  for (const message of [request("tools/list"), { jsonrpc: "2.0", method: "notifications/initialized" }]) {
    const answer = await mcp.send(message, { "mcp-protocol-version": "1999-01-01" });
    assertEquals([answer.status, answer.message.error.code], [400, -32022]);
  }
});

for (
  const method of [
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "subscriptions/listen",
    "nope",
  ]
) {
  Deno.test(`${method} is no method of this server in this era: 404 and -32601`, async () => {
    await using mcp = await openDoor();
    const answer = await mcp.send(...modern(method, {}, "gone"));
    assertEquals([answer.status, answer.message.id, answer.message.error.code], [404, "gone", -32601]);
    assertEquals(mcp.door.pending, 0);
  });
}

const inBand: [string, string, Record<string, unknown>, number][] = [
  ["an unknown tool", "tools/call", { name: "nope" }, -32602],
  ["a resource that is not there", "resources/read", { uri: "test://two" }, -32602],
  ["an unknown prompt", "prompts/get", { name: "nope" }, -32602],
  ["a reference to nothing", "completion/complete", {
    ref: { type: "ref/prompt", name: "nope" },
    argument: { name: "a", value: "" },
  }, -32602],
  ["a cursor", "tools/list", { cursor: "x" }, -32602],
  ["a failing engine", "resources/read", { uri: "test://engine" }, -32603],
];
for (const [name, method, params, code] of inBand) {
  Deno.test(`${name} is an error ${code} within a 200`, async () => {
    await using mcp = await openDoor();
    const answer = await mcp.send(...modern(method, params));
    assertEquals([answer.status, answer.message.error.code], [200, code]);
  });
}
