import { assertEquals } from "@std/assert";
import { type ClientWatcher, type RequestContext, ResponseStream } from "../../src/mcp/mod.ts";
import { openDispatcher, SERVER_INFO } from "../support/dispatcher.ts";
import { request, stateless } from "../support/messages.ts";

/** Members of every result. */
const RESULT_SUFFIX = {
  resultType: "complete",
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "t", title: "T", version: "1" } },
};

Deno.test("server/discover returns versions, capabilities, instructions and the server", async () => {
  await using mcp = await openDispatcher();
  const { status, message } = await mcp.send(...stateless("server/discover", {}, "d"));
  assertEquals(status, 200);
  assertEquals(message, {
    jsonrpc: "2.0",
    id: "d",
    result: {
      supportedVersions: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      instructions: "Use it well.",
      ttlMs: 300_000,
      cacheScope: "public",
      resultType: "complete",
      _meta: { "io.modelcontextprotocol/serverInfo": SERVER_INFO },
    },
  });
});

Deno.test("server/discover has the instructions for the scope of a named key, and is private", async () => {
  await using mcp = await openDispatcher();
  const caller = { id: "bob", key: "bob", scope: "read" } as const;
  const { message: { result } } = await mcp.send(...stateless("server/discover"), { caller });
  assertEquals([result.instructions, result.cacheScope], ["Use it to read.", "private"]);
});

Deno.test("tools/call returns content, structuredContent, resultType and serverInfo", async () => {
  await using mcp = await openDispatcher();
  const { message } = await mcp.send(...stateless("tools/call", { name: "whoami" }, 7));
  assertEquals([message.id, message.result], [7, {
    content: [{ type: "text", text: '{"caller":"alice","base_url":"http://kb.example"}' }],
    structuredContent: { caller: "alice", base_url: "http://kb.example" },
    ...RESULT_SUFFIX,
  }]);
});

for (const method of ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]) {
  Deno.test(`${method} is public for five minutes, and the same list as in 2025-11-25`, async () => {
    await using mcp = await openDispatcher();
    const { message } = await mcp.send(...stateless(method));
    const { message: { result } } = await mcp.send(request(method));
    assertEquals(message.result, { ...result, ttlMs: 300_000, cacheScope: "public", ...RESULT_SUFFIX });
  });
}

Deno.test("resources/read is private for as long as the resource allows", async () => {
  await using mcp = await openDispatcher();
  const { message } = await mcp.send(...stateless("resources/read", { uri: "test://one" }));
  assertEquals(message.result, {
    contents: [{ uri: "test://one", mimeType: "text/plain", text: "for alice" }],
    ttlMs: 1000,
    cacheScope: "private",
    ...RESULT_SUFFIX,
  });
});

Deno.test("prompts/get and completion/complete return the same as in 2025-11-25", async () => {
  await using mcp = await openDispatcher();
  const cases = [
    ["prompts/get", { name: "greet", arguments: { whom: "world" } }],
    ["completion/complete", {
      ref: { type: "ref/prompt", name: "greet" },
      argument: { name: "whom", value: "wo" },
    }],
  ] as const;
  for (const [method, params] of cases) {
    const { message } = await mcp.send(...stateless(method, params));
    const { message: { result } } = await mcp.send(request(method, params));
    assertEquals(message.result, { ...result, ...RESULT_SUFFIX });
  }
});

Deno.test("a tool error is a complete result with isError", async () => {
  await using mcp = await openDispatcher();
  const { message } = await mcp.send(...stateless("tools/call", { name: "mistaken" }));
  assertEquals([message.result.isError, message.result.resultType], [true, "complete"]);
});

for (
  const method of [
    "initialize",
    "ping",
    "logging/setLevel",
    "resources/subscribe",
    "subscriptions/listen",
    "constructor",
  ]
) {
  Deno.test(`${method} does not exist in this version: 404 and -32601`, async () => {
    await using mcp = await openDispatcher();
    const response = await mcp.send(...stateless(method, {}, "id"));
    assertEquals([response.status, response.message.id, response.message.error.code], [404, "id", -32601]);
    assertEquals(mcp.dispatcher.pending, 0);
  });
}

const errors: [string, string, Record<string, unknown>, number][] = [
  ["an unknown tool", "tools/call", { name: "unknown" }, -32602],
  ["an unknown resource", "resources/read", { uri: "test://two" }, -32602],
  ["an unknown prompt", "prompts/get", { name: "unknown" }, -32602],
  ["a completion for an unknown prompt", "completion/complete", {
    ref: { type: "ref/prompt", name: "unknown" },
    argument: { name: "a", value: "" },
  }, -32602],
  ["a cursor", "tools/list", { cursor: "x" }, -32602],
  ["an engine error", "resources/read", { uri: "test://engine" }, -32603],
];
for (const [name, method, params, code] of errors) {
  Deno.test(`${name} is an error ${code} with status 200`, async () => {
    await using mcp = await openDispatcher();
    const response = await mcp.send(...stateless(method, params));
    assertEquals([response.status, response.message.error.code], [200, code]);
  });
}

Deno.test("a notification is accepted, a response is an error, because the server sends no requests", async () => {
  await using mcp = await openDispatcher();
  const headers = { "mcp-protocol-version": "2026-07-28" };
  const notification = await mcp.send({ jsonrpc: "2.0", method: "notifications/cancelled" }, headers);
  assertEquals([notification.status, notification.message], [202, null]);
  const response = await mcp.send({ jsonrpc: "2.0", id: 1, result: {} }, headers);
  assertEquals([response.status, response.message.error.code], [400, -32600]);
});

Deno.test("a session id is ignored, and none is created", async () => {
  await using mcp = await openDispatcher();
  const [message, headers] = stateless("server/discover");
  const response = await mcp.send(message, { ...headers, "mcp-session-id": "s" });
  assertEquals([response.status, response.sessionId], [200, undefined]);
});

/** Calls `wait`, which is slow, and resolves when the server watches its client. */
async function startSlowCall(
  mcp: Awaited<ReturnType<typeof openDispatcher>>,
  options: { _meta?: Record<string, unknown>; accept?: string } = {},
) {
  const { _meta = {}, accept = "application/json, text/event-stream" } = options;
  const watched = Promise.withResolvers<ClientWatcher>();
  const state = { isWatching: true };
  const watchClient: RequestContext["watchClient"] = (watcher) => {
    watched.resolve(watcher);
    return () => {
      state.isWatching = false;
    };
  };
  const [message, headers] = stateless("tools/call", { name: "wait", _meta });
  const response = mcp.dispatch(message, { ...headers, accept }, { watchClient });
  return { response, watcher: await watched.promise, state };
}

for (
  const [kind, _meta, accept] of [
    ["json", {}, "application/json, text/event-stream"],
    ["events", { progressToken: 1 }, "application/json, text/event-stream"],
    ["json", { progressToken: 1 }, "application/json"],
  ] as const
) {
  const token = "progressToken" in _meta ? "with" : "without";
  Deno.test(`the response of a slow call ${token} a progress token begins as ${kind} for ${accept}`, async () => {
    await using mcp = await openDispatcher();
    const { response, watcher, state } = await startSlowCall(mcp, { _meta, accept });
    watcher.onSlow();
    const { status, body } = await response;
    if (!(body instanceof ResponseStream)) throw new Error("The response must be a stream");
    assertEquals([status, body.kind], [200, kind]);
    // Now a disconnect is noticed.
    await body.body.cancel();
    assertEquals([mcp.dispatcher.pending, state.isWatching], [0, false]);
  });
}

Deno.test("a disconnect before the response cancels the call", async () => {
  await using mcp = await openDispatcher();
  const { response, watcher, state } = await startSlowCall(mcp);
  watcher.onDisconnect();
  const { body } = await response;
  assertEquals(await new Response((body as ResponseStream).body).text(), "");
  assertEquals([mcp.dispatcher.pending, state.isWatching], [0, false]);
  assertEquals([mcp.waiting.running, mcp.waiting.aborted], [0, 1]);
});
