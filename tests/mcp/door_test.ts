import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { z } from "zod";
import { EngineClient, EngineError } from "../../src/client/mod.ts";
import { Collections } from "../../src/collections/mod.ts";
import { type CallContext, McpDoor } from "../../src/mcp/mod.ts";
import { silentLogger } from "../../src/telemetry/mod.ts";
import { defineTool, type Tool, ToolError } from "../../src/tools/mod.ts";
import { Uploads } from "../../src/uploads/mod.ts";

const annotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

const whoami = defineTool({
  name: "whoami",
  title: "Who am I",
  description: "Says who calls.",
  input: z.strictObject({ times: z.int().max(3).optional() }),
  output: z.object({ caller: z.string(), base_url: z.string() }),
  annotations,
  scope: "read",
  run: (_, { caller, baseUrl }) => Promise.resolve({ caller: caller.id, base_url: baseUrl }),
});

function failing(name: string, error: Error): Tool {
  return {
    ...whoami,
    name,
    input: z.strictObject({}),
    run: () => Promise.reject(error),
  } as unknown as Tool;
}

const waiting = {
  ...whoami,
  name: "wait",
  input: z.strictObject({}),
  run: (_: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
} as unknown as Tool;

const tools = [
  whoami as unknown as Tool,
  failing("mistaken", new ToolError("Give exactly one of a and b.")),
  failing("engineless", new EngineError("unreachable", "The engine is unreachable.")),
  failing("broken", new Error("SELECT secret FROM /var/lib")),
  waiting,
];

async function openDoor() {
  const uploads = await Uploads.open({ maxBytes: 1, maxPerCaller: 1, maxStagedBytes: 1, idleMs: 1000 });
  const shared = {
    engine: new EngineClient({ baseUrl: "http://127.0.0.1:1" }),
    collections: new Collections(),
    uploads,
    log: silentLogger,
    jobWaitMs: 0,
    server: () => ({ name: "t", version: "1", protocol_versions: [], engine: "", uptime_seconds: 0 }),
  };
  const door = new McpDoor({
    name: "t",
    title: "T",
    version: "1",
    instructions: "Use it well.",
    tools,
  }, shared);
  const call: CallContext = { caller: { id: "alice" }, baseUrl: "http://kb.example" };
  return {
    door,
    async send(message: unknown) {
      const { status, body } = await door.handle(new TextEncoder().encode(JSON.stringify(message)), call);
      return { status, message: body === null ? null : JSON.parse(body) };
    },
    async [Symbol.asyncDispose]() {
      await door[Symbol.asyncDispose]();
      await uploads[Symbol.asyncDispose]();
    },
  };
}

function request(method: string, params?: unknown, id: number | string = 0) {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}

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
      capabilities: { tools: {} },
      serverInfo: { name: "t", title: "T", version: "1" },
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
  assertEquals(message.result.tools.length, tools.length);
  assertEquals(message.result.tools[0], {
    name: "whoami",
    title: "Who am I",
    description: "Says who calls.",
    inputSchema: {
      type: "object",
      properties: { times: { type: "integer", minimum: -9007199254740991, maximum: 3 } },
      additionalProperties: false,
    },
    outputSchema: {
      type: "object",
      properties: { caller: { type: "string" }, base_url: { type: "string" } },
      required: ["caller", "base_url"],
      additionalProperties: false,
    },
    annotations: { title: "Who am I", ...annotations },
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
      [undefined, "params"],
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
