import { assert, assertEquals, assertMatch } from "@std/assert";
import type { ClientWatcher } from "../../src/mcp/mod.ts";
import { ENVELOPE, modern, openDoor, request, SERVER_INFO } from "../support/door.ts";

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

Deno.test("a log level is taken, though there is nothing to log", async () => {
  await using mcp = await openDoor();
  const _meta = { "io.modelcontextprotocol/logLevel": "debug" };
  assertEquals((await mcp.send(...modern("tools/list", { _meta }))).status, 200);
});

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

Deno.test("a slow call begins its answer, so that a client that goes away is noticed", async () => {
  await using mcp = await openDoor();
  const [message, headers] = modern("tools/call", { name: "wait" });
  const { state, watchClient } = watching();
  const answer = mcp.door.handle(new TextEncoder().encode(JSON.stringify(message)), {
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

Deno.test("a request need not say who its client is", async () => {
  await using mcp = await openDoor();
  const [message, headers] = modern("tools/list");
  const { "io.modelcontextprotocol/clientInfo": _, ..._meta } = ENVELOPE;
  assertEquals((await mcp.send({ ...message, params: { _meta } }, headers)).status, 200);
});

for (const [name, claim] of [["a later", "2099-01-01"], ["an earlier", "2025-11-25"]] as const) {
  Deno.test(`${name} revision claimed by a request is refused with 400 and -32022, and those that are spoken`, async () => {
    await using mcp = await openDoor();
    const [message, headers] = modern("tools/list", {
      _meta: { "io.modelcontextprotocol/protocolVersion": claim },
    });
    const answer = await mcp.send(message, { ...headers, "mcp-protocol-version": claim });
    assertEquals([answer.status, answer.message.error.code], [400, -32022]);
    assertEquals(answer.message.error.data, {
      supported: ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"],
      requested: claim,
    });
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
