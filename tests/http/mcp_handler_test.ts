import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { mcpHandler } from "../../src/http/mcp_handler.ts";
import { FairShare } from "../../src/web/mod.ts";
import { defineTool, type Tool } from "../../src/tools/mod.ts";
import { annotations } from "../support/annotations.ts";
import { z } from "zod";
import { createTestApp } from "../support/app.ts";
import { openDispatcher } from "../support/dispatcher.ts";

const MiB = 2 ** 20;
const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** Opens the HTTP application in this process, without a port. */
async function openApp(
  limits: { maxConcurrent?: number; bodyTimeoutMs?: number; maxBodyBytes?: number } = {},
) {
  const mcp = await openDispatcher();
  const { dispatcher, uploads } = mcp;
  const app = createTestApp({ dispatcher, uploads, maxBodyBytes: 2048, maxConcurrent: 10, ...limits });
  const post = (body: BodyInit, headers: Record<string, string> = {}, hostname = "192.0.2.1") =>
    app.fetch(
      new Request("http://evil.example/mcp", {
        method: "POST",
        headers: { host: "kb.example", "content-type": "application/json", ...headers },
        body,
      }),
      { remoteAddr: { hostname } },
    );
  return { mcp, post, [Symbol.asyncDispose]: () => mcp[Symbol.asyncDispose]() };
}

/** Opens the handler alone, with memory for `bytes` bytes of bodies. */
async function openHandler(bytes: number) {
  const mcp = await openDispatcher([resultOf(200_000), resultOf(5_000_000)]);
  const bodyMemory = new FairShare(bytes);
  const handler = mcpHandler({
    dispatcher: mcp.dispatcher,
    bodyLimits: { maxBytes: MiB, isJson: true },
    bodyMemory,
    running: new FairShare(10),
    publicUrl: undefined,
  });
  const post = (body: BodyInit, headers: Record<string, string> = {}, client = "192.0.2.1") =>
    Promise.resolve(
      handler(new Request("http://kb.example/mcp", { method: "POST", headers, body }), {
        path: "/mcp",
        client,
        caller: { id: "anonymous", scope: "write" },
      }),
    );
  return { mcp, post, bodyMemory, [Symbol.asyncDispose]: () => mcp[Symbol.asyncDispose]() };
}

/** A tool with a result of the given size, `large_SIZE`. */
function resultOf(chars: number): Tool {
  return defineTool({
    name: `large_${chars}`,
    title: "Large",
    description: "Returns a large result.",
    scope: "read",
    input: z.strictObject({}),
    output: z.object({ text: z.string() }),
    annotations,
    run: () => Promise.resolve({ text: "x".repeat(chars) }),
  }) as unknown as Tool;
}

/** A call of `wait`, which runs until it is cancelled, with a parameter of the given size. */
function largeCall(bytes: number): string {
  const params = { name: "wait", _meta: { padding: "x".repeat(bytes) } };
  return JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
}

/** A body whose end is under the test's control. */
function openBody() {
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  return {
    readable,
    send: (text: string) => writer.write(new TextEncoder().encode(text)),
    async finish(text: string) {
      await writer.write(new TextEncoder().encode(text));
      await writer.close();
    },
  };
}

Deno.test("a message over the limit is 413, and the connection is closed", async () => {
  await using app = await openApp();
  const long = "x".repeat(2049);
  for (const headers of [{}, { "content-length": "2049" }] as Record<string, string>[]) {
    const response = await app.post(long, headers);
    assertEquals([response.status, response.headers.get("connection")], [413, "close"]);
    assertMatch((await response.json()).error.message, /at most 2 KiB \(KB_MCP_MAX_BODY\)/);
  }
});

Deno.test("a body that does not arrive in time is 408", async () => {
  await using app = await openApp({ bodyTimeoutMs: 4 });
  const response = await app.post(openBody().readable);
  assertEquals([response.status, response.headers.get("connection")], [408, "close"]);
  assertMatch((await response.json()).error.message, /KB_MCP_BODY_TIMEOUT/);
});

Deno.test("a body that breaks off is 400", async () => {
  await using app = await openApp();
  const broken = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => controller.error(new TypeError("connection reset")),
  });
  const response = await app.post(broken);
  assertEquals([response.status, response.headers.get("connection")], [400, "close"]);
});

Deno.test("messages that have not arrived occupy neither slots nor memory", async () => {
  await using app = await openApp({ maxConcurrent: 1, maxBodyBytes: MiB });
  const bodies = Array.from({ length: 300 }, openBody);
  const declared = { "content-length": String(MiB) };
  const received = bodies.map(({ readable }) => app.post(readable, declared));

  assertEquals((await app.post(PING)).status, 200);

  for (const [index, body] of bodies.entries()) {
    await body.finish(PING);
    assertEquals((await received[index]!).status, 200);
  }
});

Deno.test("bytes that arrive take memory until their request ends, and 503 when there is none", async () => {
  await using app = await openHandler(MiB);
  const { readable, send } = openBody();
  const receiving = app.post(readable, { "content-length": String(MiB) });
  await send(" ".repeat(MiB / 4));
  await send(""); // is taken when the first part was charged
  assertEquals(app.bodyMemory.free, 0.75 * MiB);

  const busy = await app.post(`{"x":"${"x".repeat(0.8 * MiB)}"}`, {}, "192.0.2.2");
  assertEquals([busy.status, busy.headers.get("retry-after"), busy.headers.get("connection")], [
    503,
    "1",
    "close",
  ]);
  assertEquals(app.bodyMemory.free, 0.75 * MiB);

  await send("[");
  assertEquals((await receiving).status, 400);
  assertEquals(app.bodyMemory.free, MiB);
});

Deno.test("a large message takes memory while its request runs", async () => {
  await using app = await openHandler(MiB);
  const session = { "mcp-session-id": "s" };
  const running = app.post(largeCall(100_000), session);
  await app.mcp.waiting.started.promise;
  assert(app.bodyMemory.free <= MiB - 100_000, String(app.bodyMemory.free));
  await app.post('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}', session);
  await running;
  assertEquals(app.bodyMemory.free, MiB);
});

const callLarge = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"large_200000"}}';

Deno.test("a large response takes memory until its client has read it or disconnected", async () => {
  await using app = await openHandler(8 * MiB);
  for (const finish of ["text", "cancel"] as const) {
    const response = await app.post(callLarge);
    assert(app.bodyMemory.free < 8 * MiB - 400_000, String(app.bodyMemory.free));
    if (finish === "text") {
      assertEquals(JSON.parse(await response.text()).result.structuredContent.text.length, 200_000);
    } else await response.body?.cancel();
    await Promise.resolve();
    assertEquals(app.bodyMemory.free, 8 * MiB);
  }
});

Deno.test("a large response without memory is an error with its id", async () => {
  await using app = await openHandler(0.75 * MiB);
  const unread = await app.post(callLarge);
  const { id, error } = await (await app.post(callLarge)).json();
  assertEquals([id, error.code], [1, -32000]);
  assertMatch(error.message, /Try again in a moment/);
  await unread.body?.cancel();
  assertEquals((await (await app.post(callLarge)).json()).error, undefined);
});

Deno.test("a result over 4 Mi characters is an error that asks for less", async () => {
  await using app = await openHandler(64 * MiB);
  const { result } = await (await app.post(callLarge.replace("200000", "5000000"))).json();
  assertEquals(result.isError, true);
  assertMatch(result.content[0].text, /5000011 characters and must have at most 4194304: ask for less/);
});

Deno.test("a large array is rejected before it has arrived", async () => {
  await using app = await openHandler(8 * MiB);
  const { readable, send } = openBody();
  const receiving = app.post(readable);
  await send(`[${"1,".repeat(40_000)}`);
  const response = await receiving;
  assertEquals([response.status, response.headers.get("connection")], [400, "close"]);
  assertEquals((await response.json()).error, {
    code: -32600,
    message: "Invalid request: The body must be one JSON object, got an array",
  });
});

Deno.test("a large object of many values is rejected before it has arrived", async () => {
  await using app = await openHandler(8 * MiB);
  const { readable, send } = openBody();
  const receiving = app.post(readable);
  await send(`{"params":[${"1,".repeat(40_000)}`);
  const { error } = await (await receiving).json();
  assertEquals(error.code, -32600);
  assertMatch(error.message, /at most 10000 values and 64 levels/);
});

Deno.test("one client leaves slots for others", async () => {
  await using app = await openApp({ maxConcurrent: 8 });
  const running: Promise<Response>[] = [];
  const wait = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}';
  const session = { "mcp-session-id": "s" };
  for (let i = 0; i < 7; i++) running.push(app.post(wait, session));
  while (app.mcp.waiting.running < 7) await Promise.resolve();
  const rejected = await app.post(PING);
  assertEquals([rejected.status, rejected.headers.get("retry-after")], [503, "1"]);
  assertMatch((await rejected.json()).error.message, /this client has its share/);
  assertEquals((await app.post(PING, {}, "192.0.2.2")).status, 200);
  await app.post('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}', session);
  await Promise.all(running);
  assertEquals((await app.post(PING)).status, 200);
});

Deno.test("a message that could not be received no longer counts", async () => {
  await using app = await openApp({ maxConcurrent: 1 });
  for (let i = 0; i < 3; i++) assertEquals((await app.post("x".repeat(3000))).status, 413);
  assertEquals((await app.post(PING)).status, 200);
});

Deno.test("the number of running requests is limited, but a busy server accepts notifications", async () => {
  await using app = await openApp({ maxConcurrent: 1 });
  const session = { "mcp-session-id": "s" };
  const running = app.post(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}',
    session,
  );
  await app.mcp.waiting.started.promise;
  assertEquals((await app.post(PING)).status, 503);
  const cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}';
  assertEquals((await app.post(cancel, session)).status, 202);
  assertEquals((await running).status, 200);
  assertEquals((await app.post(PING)).status, 200);
});

Deno.test("tools get the base URL of the Host header, whatever host the target names", async () => {
  await using app = await openApp();
  const response = await app.post(
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami"}}',
  );
  assertEquals((await response.json()).result.structuredContent.base_url, "http://kb.example");
});

Deno.test("the response of initialize carries a session id", async () => {
  await using app = await openApp();
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
  const response = await app.post(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params }));
  assert((response.headers.get("mcp-session-id") ?? "").length > 0);
});

Deno.test("a message without an authenticated caller is not handled", async () => {
  await using mcp = await openDispatcher([]);
  const handler = mcpHandler({
    dispatcher: mcp.dispatcher,
    bodyLimits: { maxBytes: MiB, isJson: true },
    bodyMemory: new FairShare(MiB),
    running: new FairShare(10),
    publicUrl: undefined,
  });
  const request = new Request("http://kb.example/mcp", { method: "POST", body: largeCall(10) });
  await assertRejects(
    async () => await handler(request, { path: "/mcp", client: "a" }),
    Error,
    "authenticated",
  );
});
