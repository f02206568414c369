import { assert, assertEquals, assertMatch } from "@std/assert";
import { createTestApp } from "../support/app.ts";
import { openDispatcher } from "../support/dispatcher.ts";

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';

/** Opens the HTTP application in this process, without a port. */
async function openApp(limits: { maxConcurrent?: number; bodyTimeoutMs?: number } = {}) {
  const mcp = await openDispatcher();
  const { dispatcher, uploads } = mcp;
  const app = createTestApp({ dispatcher, uploads, maxBodyBytes: 2048, maxConcurrent: 10, ...limits });
  const post = (body: BodyInit, headers: Record<string, string> = {}) =>
    app.fetch(
      new Request("http://evil.example/mcp", {
        method: "POST",
        headers: { host: "kb.example", "content-type": "application/json", ...headers },
        body,
      }),
    );
  return {
    mcp,
    post,
    async [Symbol.asyncDispose]() {
      app[Symbol.dispose]();
      await mcp[Symbol.asyncDispose]();
    },
  };
}

/** A body whose end is under the test's control. */
function openBody() {
  const { readable, writable } = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>();
  const writer = writable.getWriter();
  return {
    readable,
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
  const keepAlive = setTimeout(() => {}, 60_000); // the timer of the body does not keep the process alive
  const response = await app.post(openBody().readable);
  clearTimeout(keepAlive);
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

Deno.test("the number of messages that are being received is limited", async () => {
  await using app = await openApp({ maxConcurrent: 2 });
  const bodies = [openBody(), openBody()];
  const received = bodies.map(({ readable }) => app.post(readable));

  const rejected = await app.post(PING);
  assertEquals([rejected.status, rejected.headers.get("retry-after")], [503, "1"]);

  for (const body of bodies) await body.finish(PING);
  for (const response of received) assertEquals((await response).status, 200);
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
