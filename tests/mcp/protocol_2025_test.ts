import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { annotations } from "../support/annotations.ts";
import { openDispatcher, SERVER_INFO } from "../support/dispatcher.ts";
import { request } from "../support/messages.ts";

const initializeParams = (protocolVersion: string) => ({
  protocolVersion,
  capabilities: {},
  clientInfo: { name: "c", version: "0" },
});

for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
  Deno.test(`initialize negotiates ${version}`, async () => {
    await using mcp = await openDispatcher();
    const { message } = await mcp.send(request("initialize", initializeParams(version)));
    assertEquals(message.result.protocolVersion, version);
  });
}

Deno.test("initialize with an unknown version returns the latest one", async () => {
  await using mcp = await openDispatcher();
  for (const version of ["2024-10-07", "2099-01-01"]) {
    const { message } = await mcp.send(request("initialize", initializeParams(version)));
    assertEquals(message.result.protocolVersion, "2025-11-25");
  }
});

Deno.test("initialize returns the server's identity, capabilities and instructions", async () => {
  await using mcp = await openDispatcher();
  const { message } = await mcp.send(request("initialize", initializeParams("2025-11-25"), "first"));
  assertEquals(message, {
    jsonrpc: "2.0",
    id: "first",
    result: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      serverInfo: SERVER_INFO,
      instructions: "Use it well.",
    },
  });
});

Deno.test("a tool call needs no initialize", async () => {
  await using mcp = await openDispatcher();
  const { message } = await mcp.send(request("tools/call", { name: "whoami" }, 0));
  assertEquals(message.id, 0);
  assertEquals(message.result, {
    content: [{ type: "text", text: '{"caller":"alice","base_url":"http://kb.example"}' }],
    structuredContent: { caller: "alice", base_url: "http://kb.example" },
  });
});

Deno.test("tools/list returns schemas and all four annotations", async () => {
  await using mcp = await openDispatcher();
  const { message } = await mcp.send(request("tools/list"));
  assertEquals(message.result.tools.length, mcp.tools.length);
  assertEquals(message.result.tools[0], {
    name: "whoami",
    title: "Who am I",
    description: "Returns the caller.",
    inputSchema: {
      type: "object",
      properties: { times: { type: "integer", maximum: 3 } },
    },
    outputSchema: {
      type: "object",
      properties: { caller: { type: "string" }, base_url: { type: "string" } },
      required: ["caller", "base_url"],
      additionalProperties: false,
    },
    annotations,
  });
});

Deno.test("tools/list has one page, so a cursor is an error", async () => {
  await using mcp = await openDispatcher();
  const { message } = await mcp.send(request("tools/list", { cursor: "x" }));
  assertEquals(message.error.code, -32602);
});

const protocolErrors: [string, unknown, number, RegExp][] = [
  ["an unknown method", request("tools/forget"), -32601, /^Method not found: tools\/forget$/],
  ["an unknown tool", request("tools/call", { name: "nope" }), -32602, /^Unknown tool: nope$/],
  [
    "a mistyped tool",
    request("tools/call", { name: "Who-am-i" }),
    -32602,
    /^Unknown tool: Who-am-i\. Did you mean whoami\?$/,
  ],
  ["a tool without a name", request("tools/call", {}), -32602, /"name" must be a string/],
  [
    "arguments that are an array",
    request("tools/call", { name: "whoami", arguments: [] }),
    -32602,
    /"arguments" must/,
  ],
];
for (const [name, message, code, text] of protocolErrors) {
  Deno.test(`${name} is a protocol error ${code}`, async () => {
    await using mcp = await openDispatcher();
    const response = await mcp.send(message);
    assertEquals([response.status, response.message.id, response.message.error.code], [200, 0, code]);
    assertMatch(response.message.error.message, text);
  });
}

const invalidMeta: [string, unknown][] = [
  ["_meta that is a string", "x"],
  ["_meta that is an array", []],
  ["a progress token that is an object", { progressToken: {} }],
  ["a fractional progress token", { progressToken: 1.5 }],
  ["a progress token over 256 characters", { progressToken: "x".repeat(257) }],
];
for (const [name, _meta] of invalidMeta) {
  Deno.test(`${name} is invalid params`, async () => {
    await using mcp = await openDispatcher();
    const { message } = await mcp.send(request("tools/call", { name: "whoami", _meta }, "id"));
    assertEquals([message.id, message.error.code], ["id", -32602]);
    assertEquals(mcp.dispatcher.pending, 0);
  });
}

Deno.test("a call with a task is a normal call, because the server declares no tasks", async () => {
  await using mcp = await openDispatcher();
  const { message } = await mcp.send(request("tools/call", { name: "whoami", task: { ttl: 1000 } }));
  assertEquals(message.result.structuredContent.caller, "alice");
});

Deno.test("an initialize with invalid parameters is a protocol error that names the first one", async () => {
  await using mcp = await openDispatcher();
  for (
    const [params, name] of [
      [undefined, "protocolVersion"],
      [{}, "protocolVersion"],
      [{ ...initializeParams("2025-11-25"), clientInfo: {} }, "clientInfo.name"],
    ] as const
  ) {
    const { message } = await mcp.send(request("initialize", params));
    assertEquals([message.error.code, message.error.message.includes(`"${name}"`)], [-32602, true], name);
  }
});

Deno.test("unknown members of a message are ignored", async () => {
  await using mcp = await openDispatcher();
  const { message } = await mcp.send({
    ...request("tools/call", { name: "whoami" }, 5),
    extra: 1,
    result: {},
  });
  assertEquals([message.id, message.result.structuredContent.caller], [5, "alice"]);
});

const toolErrors: [string, unknown, RegExp][] = [
  ["an unknown argument", { name: "whoami", arguments: { tmies: 1 } }, /unknown argument "tmies".*times/],
  ["an argument out of range", { name: "whoami", arguments: { times: 9 } }, /times must be at most 3, got 9/],
  ["a tool error", { name: "mistaken" }, /^Give exactly one of a and b\.$/],
  ["an engine error", { name: "engineless" }, /^The engine is unreachable\.$/],
  ["an unexpected error, without its details", { name: "broken" }, /^(?!.*SELECT)(?!.*\/var).*reference/s],
];
for (const [name, params, text] of toolErrors) {
  Deno.test(`${name} is a result with isError`, async () => {
    await using mcp = await openDispatcher();
    const { message } = await mcp.send(request("tools/call", params));
    assertEquals(message.result.isError, true);
    assertMatch(message.result.content[0].text, text);
  });
}

Deno.test("disposing the dispatcher aborts running requests with an error", async () => {
  const mcp = await openDispatcher();
  const response = mcp.send(request("tools/call", { name: "wait" }, "w"));
  assertEquals(mcp.dispatcher.pending, 1);
  await mcp[Symbol.asyncDispose]();
  const { message } = await response;
  assertEquals([message.id, message.error.code], ["w", -32603]);
  assertEquals(mcp.dispatcher.pending, 0);
  await assertRejects(() => mcp.send(request("ping")));
});

Deno.test("no request is pending after all responses", async () => {
  await using mcp = await openDispatcher();
  await Promise.all(
    Array.from({ length: 100 }, (_, i) => mcp.send(request(i % 2 ? "ping" : "nope", undefined, 1))),
  );
  assert(mcp.dispatcher.pending === 0);
});

Deno.test("null for an optional parameter is ignored", async () => {
  await using mcp = await openDispatcher();
  const call = await mcp.send(request("tools/call", { name: "whoami", arguments: null }));
  assertEquals(call.message.result.structuredContent.caller, "alice");
  const list = await mcp.send(request("tools/list", { cursor: null }));
  assertEquals(list.message.result.tools.length, mcp.tools.length);
});

Deno.test("an error repeats names and URIs only up to a maximum length", async () => {
  await using mcp = await openDispatcher();
  const tool = await mcp.send(request("tools/call", { name: `${"a".repeat(127)}😀` }));
  assertEquals(tool.message.error.message.isWellFormed(), true);
  const read = await mcp.send(request("resources/read", { uri: `test://${"x".repeat(5000)}` }));
  assertEquals([read.message.error.code, read.message.error.data], [-32002, undefined]);
});
