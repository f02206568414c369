import { assert, assertEquals } from "@std/assert";
import type { AnswerStream, ClientWatcher } from "../../src/mcp/mod.ts";
import { inboundOf, openDoor, SERVER_INFO } from "../support/door.ts";
import { ENVELOPE, modern, request } from "../support/messages.ts";

/** The last members of every result. */
const CLOSING = {
  resultType: "complete",
  _meta: { "io.modelcontextprotocol/serverInfo": { name: "t", title: "T", version: "1" } },
};

Deno.test("server/discover says which revisions and capabilities there are, and who answers", async () => {
  await using mcp = await openDoor();
  const { status, message } = await mcp.send(...modern("server/discover", {}, "d"));
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

Deno.test("tools/call answers content, structuredContent, resultType and serverInfo", async () => {
  await using mcp = await openDoor();
  const { message } = await mcp.send(...modern("tools/call", { name: "whoami" }, 7));
  assertEquals([message.id, message.result], [7, {
    content: [{ type: "text", text: '{"caller":"alice","base_url":"http://kb.example"}' }],
    structuredContent: { caller: "alice", base_url: "http://kb.example" },
    ...CLOSING,
  }]);
});

for (const method of ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]) {
  Deno.test(`${method} may be cached for five minutes by anybody, and is the list of the other era`, async () => {
    await using mcp = await openDoor();
    const { message } = await mcp.send(...modern(method));
    const { message: { result: legacy } } = await mcp.send(request(method));
    assertEquals(message.result, { ...legacy, ttlMs: 300_000, cacheScope: "public", ...CLOSING });
  });
}

Deno.test("resources/read answers contents that may be cached as long as the resource says, by their caller alone", async () => {
  await using mcp = await openDoor();
  const { message } = await mcp.send(...modern("resources/read", { uri: "test://one" }));
  assertEquals(message.result, {
    contents: [{ uri: "test://one", mimeType: "text/plain", text: "for alice" }],
    ttlMs: 1000,
    cacheScope: "private",
    ...CLOSING,
  });
});

Deno.test("prompts/get and completion/complete answer as in the other era", async () => {
  await using mcp = await openDoor();
  const cases = [
    ["prompts/get", { name: "greet", arguments: { whom: "world" } }],
    ["completion/complete", {
      ref: { type: "ref/prompt", name: "greet" },
      argument: { name: "whom", value: "wo" },
    }],
  ] as const;
  for (const [method, params] of cases) {
    const { message } = await mcp.send(...modern(method, params));
    const { message: { result: legacy } } = await mcp.send(request(method, params));
    assertEquals(message.result, { ...legacy, ...CLOSING });
  }
});

Deno.test("a log level is taken, though there is nothing to log", async () => {
  await using mcp = await openDoor();
  const _meta = { "io.modelcontextprotocol/logLevel": "debug" };
  assertEquals((await mcp.send(...modern("tools/list", { _meta }))).status, 200);
});

/** Resolves to the watcher of a call, once the call has taken long enough to be watched. */
function watching() {
  const { promise: watched, resolve } = Promise.withResolvers<ClientWatcher>();
  const state = { watched, stopped: false };
  const watchClient = (watcher: ClientWatcher) => {
    resolve(watcher);
    return () => {
      state.stopped = true;
    };
  };
  return { state, watchClient };
}

/** Calls `wait`, lets the server find that it takes long, and answers how its answer began. */
async function slowCall(
  mcp: Awaited<ReturnType<typeof openDoor>>,
  _meta: Record<string, unknown>,
  accept: string,
) {
  const [message, headers] = modern("tools/call", { name: "wait", _meta });
  const { state, watchClient } = watching();
  const answer = mcp.door.handle(inboundOf(message), {
    caller: { id: "alice" },
    baseUrl: "",
    headers: new Headers({ ...headers, accept }),
    watchClient,
  });
  (await state.watched).begin();
  const { body } = await answer;
  const stream = body as AnswerStream;
  await stream.body.cancel();
  return stream.kind;
}

for (
  const [kind, _meta, accept] of [
    ["json", {}, "application/json, text/event-stream"],
    ["events", { progressToken: 1 }, "application/json, text/event-stream"],
    ["json", { progressToken: 1 }, "application/json"],
  ] as const
) {
  const asks = "progressToken" in _meta ? "that asks for progress" : "that asks for no progress";
  Deno.test(`a slow call ${asks}, of a client that reads ${accept}, begins its answer as ${kind}`, async () => {
    await using mcp = await openDoor();
    assertEquals(await slowCall(mcp, _meta, accept), kind);
    assertEquals(mcp.door.pending, 0);
  });
}

Deno.test("a slow call begins its answer, so that a client that goes away is noticed", async () => {
  await using mcp = await openDoor();
  const [message, headers] = modern("tools/call", { name: "wait" });
  const { state, watchClient } = watching();
  const answer = mcp.door.handle(inboundOf(message), {
    caller: { id: "alice" },
    baseUrl: "",
    headers: new Headers(headers),
    watchClient,
  });
  (await state.watched).begin();
  const { status, body } = await answer;
  assertEquals(status, 200);
  await (body as { body: ReadableStream }).body.cancel();
  assertEquals([mcp.door.pending, state.stopped], [0, true]);
});

Deno.test("Mcp-Name may come in Base64", async () => {
  await using mcp = await openDoor();
  const [message, headers] = modern("tools/call", { name: "whoami" });
  const answer = await mcp.send(message, { ...headers, "mcp-name": `=?base64?${btoa("whoami")}?=` });
  assertEquals([answer.status, answer.message.result.resultType], [200, "complete"]);
});

Deno.test("a request need not say who its client is", async () => {
  await using mcp = await openDoor();
  const [message, headers] = modern("tools/list");
  const { "io.modelcontextprotocol/clientInfo": _, ..._meta } = ENVELOPE;
  assertEquals((await mcp.send({ ...message, params: { _meta } }, headers)).status, 200);
});

Deno.test("what a model did wrong is a complete result with isError", async () => {
  await using mcp = await openDoor();
  const { message } = await mcp.send(...modern("tools/call", { name: "mistaken" }));
  assertEquals([message.result.isError, message.result.resultType], [true, "complete"]);
});

Deno.test("a notification is taken, a response is not: no server asks in this era", async () => {
  await using mcp = await openDoor();
  const headers = { "mcp-protocol-version": "2026-07-28" };
  const notification = await mcp.send({ jsonrpc: "2.0", method: "notifications/cancelled" }, headers);
  assertEquals([notification.status, notification.message], [202, null]);
  const response = await mcp.send({ jsonrpc: "2.0", id: 1, result: {} }, headers);
  assertEquals([response.status, response.message.error.code], [400, -32600]);
});

Deno.test("no session is named, whatever a client sends", async () => {
  await using mcp = await openDoor();
  const [message, headers] = modern("server/discover");
  const answer = await mcp.send(message, { ...headers, "mcp-session-id": "s" });
  assertEquals([answer.status, answer.sessionId], [200, undefined]);
});

Deno.test("a client that goes away cancels its call", async () => {
  await using mcp = await openDoor();
  const { state, watchClient } = watching();
  const answer = mcp.send(...modern("tools/call", { name: "wait" }), { watchClient });
  (await state.watched).disconnected();
  await answer;
  assertEquals([mcp.door.pending, state.stopped], [0, true]);
  // The abort goes through the protocol server's queue of microtasks.
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  assertEquals([mcp.waiting.running, mcp.waiting.aborted], [0, 1]);
});

Deno.test("the two eras share an endpoint and never meet, though all ids are equal", async () => {
  await using mcp = await openDoor();
  const answers = await Promise.all(
    Array.from(
      { length: 100 },
      (_, i) =>
        i % 2
          ? mcp.send(request("tools/call", { name: "whoami" }, 1))
          : mcp.send(...modern("tools/call", { name: "whoami" }, 1)),
    ),
  );
  for (const [i, { message }] of answers.entries()) {
    assertEquals([message.id, message.result.resultType], [1, i % 2 ? undefined : "complete"]);
  }
  assert(mcp.door.pending === 0);
});
