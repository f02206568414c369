import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { annotations } from "../support/annotations.ts";
import { openDoor, SERVER_INFO } from "../support/door.ts";
import { request } from "../support/messages.ts";

const hello = (protocolVersion: string) => ({
  protocolVersion,
  capabilities: {},
  clientInfo: { name: "c", version: "0" },
});

for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
  Deno.test(`initialize agrees on ${version}`, async () => {
    await using mcp = await openDoor();
    const { message } = await mcp.send(request("initialize", hello(version)));
    assertEquals(message.result.protocolVersion, version);
  });
}

Deno.test("initialize answers its latest revision to one that it does not know", async () => {
  await using mcp = await openDoor();
  for (const version of ["2024-10-07", "2099-01-01"]) {
    const { message } = await mcp.send(request("initialize", hello(version)));
    assertEquals(message.result.protocolVersion, "2025-11-25");
  }
});

Deno.test("initialize says what the server is, can do and wants", async () => {
  await using mcp = await openDoor();
  const { message } = await mcp.send(request("initialize", hello("2025-11-25"), "first"));
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

Deno.test("no call needs an initialize before it", async () => {
  await using mcp = await openDoor();
  const { message } = await mcp.send(request("tools/call", { name: "whoami" }, 0));
  assertEquals(message.id, 0);
  assertEquals(message.result, {
    content: [{ type: "text", text: '{"caller":"alice","base_url":"http://kb.example"}' }],
    structuredContent: { caller: "alice", base_url: "http://kb.example" },
  });
});

Deno.test("tools/list describes each tool with schemas and all four annotations", async () => {
  await using mcp = await openDoor();
  const { message } = await mcp.send(request("tools/list"));
  assertEquals(message.result.tools.length, mcp.tools.length);
  assertEquals(message.result.tools[0], {
    name: "whoami",
    title: "Who am I",
    description: "Says who calls.",
    inputSchema: {
      type: "object",
      properties: { times: { type: "integer", maximum: 3 } },
      additionalProperties: false,
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

Deno.test("tools/list has one page: a cursor is an error", async () => {
  await using mcp = await openDoor();
  const { message } = await mcp.send(request("tools/list", { cursor: "x" }));
  assertEquals(message.error.code, -32602);
});

const protocolErrors: [string, unknown, number, RegExp][] = [
  ["an unknown method", request("tools/forget"), -32601, /^Method not found: tools\/forget$/],
  ["an unknown tool", request("tools/call", { name: "nope" }), -32602, /^Unknown tool: nope$/],
  ["a tool without a name", request("tools/call", {}), -32602, /"name" must be a string/],
  [
    "arguments that are a list",
    request("tools/call", { name: "whoami", arguments: [] }),
    -32602,
    /"arguments" must/,
  ],
];
for (const [name, message, code, text] of protocolErrors) {
  Deno.test(`${name} is a protocol error ${code}`, async () => {
    await using mcp = await openDoor();
    const answer = await mcp.send(message);
    assertEquals([answer.status, answer.message.id, answer.message.error.code], [200, 0, code]);
    assertMatch(answer.message.error.message, text);
  });
}

const oddMeta: [string, unknown][] = [
  ["_meta that is text", "x"],
  ["_meta that is a list", []],
  ["a progress token that is an object", { progressToken: {} }],
  ["a progress token with a fraction", { progressToken: 1.5 }],
  ["a progress token that each notification would repeat at length", { progressToken: "x".repeat(257) }],
];
for (const [name, _meta] of oddMeta) {
  Deno.test(`${name} is answered as invalid params, not left waiting`, async () => {
    await using mcp = await openDoor();
    const { message } = await mcp.send(request("tools/call", { name: "whoami", _meta }, "odd"));
    assertEquals([message.id, message.error.code], ["odd", -32602]);
    assertEquals(mcp.door.pending, 0);
  });
}

Deno.test("a call as a task is answered in the ordinary way, since the server declares no tasks", async () => {
  await using mcp = await openDoor();
  const { message } = await mcp.send(request("tools/call", { name: "whoami", task: { ttl: 1000 } }));
  assertEquals(message.result.structuredContent.caller, "alice");
});

Deno.test("an initialize without its parameters is a protocol error that names what is missing", async () => {
  await using mcp = await openDoor();
  for (
    const [params, name] of [
      [undefined, "protocolVersion"],
      [{}, "protocolVersion"],
      [{ ...hello("2025-11-25"), clientInfo: {} }, "clientInfo.name"],
    ] as const
  ) {
    const { message } = await mcp.send(request("initialize", params));
    assertEquals([message.error.code, message.error.message.includes(`"${name}"`)], [-32602, true], name);
  }
});

Deno.test("members that JSON-RPC does not know are passed over", async () => {
  await using mcp = await openDoor();
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
  ["a mistake of the model", { name: "mistaken" }, /^Give exactly one of a and b\.$/],
  ["an engine error", { name: "engineless" }, /^The engine is unreachable\.$/],
  ["a bug, which gives nothing away", { name: "broken" }, /^(?!.*SELECT)(?!.*\/var).*reference/s],
];
for (const [name, params, text] of toolErrors) {
  Deno.test(`${name} is a result with isError, which the model sees`, async () => {
    await using mcp = await openDoor();
    const { message } = await mcp.send(request("tools/call", params));
    assertEquals(message.result.isError, true);
    assertMatch(message.result.content[0].text, text);
  });
}

Deno.test("closing the door aborts running calls and tells whoever waits", async () => {
  const mcp = await openDoor();
  await mcp.door.warmUp();
  const answer = mcp.send(request("tools/call", { name: "wait" }, "w"));
  assertEquals(mcp.door.pending, 1);
  await mcp[Symbol.asyncDispose]();
  const { message } = await answer;
  assertEquals([message.id, message.error.code], ["w", -32603]);
  assertEquals(mcp.door.pending, 0);
  await assertRejects(() => mcp.send(request("ping")));
});

Deno.test("no exchange is left over when all is answered", async () => {
  await using mcp = await openDoor();
  await Promise.all(
    Array.from({ length: 100 }, (_, i) => mcp.send(request(i % 2 ? "ping" : "nope", undefined, 1))),
  );
  assert(mcp.door.pending === 0);
});

Deno.test("null where nothing need be is nothing", async () => {
  await using mcp = await openDoor();
  const call = await mcp.send(request("tools/call", { name: "whoami", arguments: null }));
  assertEquals(call.message.result.structuredContent.caller, "alice");
  const list = await mcp.send(request("tools/list", { cursor: null }));
  assertEquals(list.message.result.tools.length, mcp.tools.length);
});

Deno.test("an error repeats names and URIs only as far as they are text of a sane length", async () => {
  await using mcp = await openDoor();
  const tool = await mcp.send(request("tools/call", { name: `${"a".repeat(127)}😀` }));
  assertEquals(tool.message.error.message.isWellFormed(), true);
  const read = await mcp.send(request("resources/read", { uri: `test://${"x".repeat(5000)}` }));
  assertEquals([read.message.error.code, read.message.error.data], [-32002, undefined]);
});
