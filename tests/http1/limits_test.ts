// deno-lint-ignore-file no-console -- prints why a test is skipped
import { assertEquals, assertMatch } from "@std/assert";
import { TextResponse } from "../../src/web/mod.ts";
import { exchange, RawClient, startServer } from "./client.ts";

const GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const CLOSING_GET = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
const text = () => new TextResponse("hello");

Deno.test("a connection without a request is closed after the head timeout", async () => {
  await using server = startServer({ timeouts: { head: 30 } });
  assertEquals(await exchange(server, ""), "");
});

Deno.test("a head that arrives byte by byte is cut at its deadline", async () => {
  await using server = startServer({ timeouts: { head: 100 } });
  using client = await RawClient.connect(server);
  const dribble = (async () => {
    while (true) {
      await client.send("G");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })().catch(() => {});
  assertMatch(await client.untilClosed(), /^HTTP\/1\.1 408 Request Timeout\r\n.*connection: close/s);
  await dribble;
});

Deno.test("a request whose head is completed after its 408 is not served", async () => {
  const served: string[] = [];
  await using server = startServer({
    timeouts: { head: 30, write: 60_000 },
    handler: ({ url }) => {
      served.push(url);
      return text();
    },
    // So long that the head is completed while it is written.
    errorResponse: (status) => new TextResponse("x".repeat(32 * 2 ** 20), { status }),
  });
  using client = await RawClient.connect(server);
  await client.send("GET / HT");
  await client.until("408");
  await client.send("TP/1.1\r\nHost: a\r\n\r\n");
  await client.untilClosed();
  assertEquals(served, []);
});

Deno.test("an idle connection is closed after the idle timeout, not the head timeout", async () => {
  await using server = startServer({ handler: text, timeouts: { head: 60_000, idle: 30 } });
  using client = await RawClient.connect(server);
  await client.send(GET);
  await client.until("hello");
  assertEquals(await client.untilClosed(), "");
});

Deno.test("no timeout applies while a handler runs or its stream waits", async () => {
  const release = Promise.withResolvers<void>();
  const encoder = new TextEncoder();
  await using server = startServer({
    timeouts: { head: 20, idle: 20, write: 20 },
    handler: async () => {
      await release.promise;
      return new Response(
        new ReadableStream({
          async pull(controller) {
            await ticks(server);
            controller.enqueue(encoder.encode("late"));
            controller.close();
          },
        }, { highWaterMark: 0 }),
      );
    },
  });
  using client = await RawClient.connect(server);
  await client.send(GET);
  await ticks(server);
  release.resolve();
  await client.until("late\r\n0\r\n\r\n");
});

/** Waits until the server has closed a connection that timed out: all deadlines of 20 ms have passed. */
async function ticks(server: ReturnType<typeof startServer>): Promise<void> {
  await exchange(server, "");
}

Deno.test("a client that does not read its response is disconnected", async () => {
  const { promise: disconnected, resolve } = Promise.withResolvers<void>();
  await using server = startServer({
    timeouts: { write: 50 },
    handler: ({ signal }) => {
      signal.addEventListener("abort", () => resolve());
      return new TextResponse("x".repeat(32 * 2 ** 20));
    },
  });
  using client = await RawClient.connect(server);
  await client.send(GET);
  await disconnected;
});

Deno.test("at the limit, a new connection replaces the one that has waited longest", async () => {
  await using server = startServer({
    handler: text,
    maxConnections: 3,
    timeouts: { head: 60_000, idle: 60_000 },
  });
  using silent = await RawClient.connect(server);
  using slow = await RawClient.connect(server);
  await slow.send("GET / HT");
  using active = await RawClient.connect(server);
  for (let i = 0; i < 3; i++) {
    await active.send(GET);
    await active.until("hello");
  }
  using next = await RawClient.connect(server);
  assertEquals(await silent.untilClosed(), "");
  await next.send(GET);
  await next.until("hello");
  using last = await RawClient.connect(server);
  assertEquals(await slow.untilClosed(), "");
  await last.send(GET);
  await last.until("hello");
  await active.send(GET);
  await active.until("hello");
});

Deno.test("connections with a request in progress are not replaced: further ones get 503", async () => {
  const { promise: release, resolve } = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  await using server = startServer({
    maxConnections: 1,
    handler: async () => {
      started.resolve();
      await release;
      return text();
    },
  });
  using busy = await RawClient.connect(server);
  await busy.send(GET);
  await started.promise;
  assertMatch(await exchange(server, GET), /^HTTP\/1\.1 503 Service Unavailable\r\n/);
  resolve();
  await busy.until("hello");
});

Deno.test("a client that does not read its response, or that the server waits to close, is replaced", async () => {
  await using server = startServer({
    maxConnections: 1,
    timeouts: { write: 60_000, stall: 20, linger: 60_000 },
    handler: ({ method }) => new TextResponse(method === "GET" ? "hello" : "x".repeat(32 * 2 ** 20)),
  });
  const large = "PUT / HTTP/1.1\r\nHost: a\r\n\r\n";
  const unread = "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n";
  for (const [request, begin] of [[large, "xxx"], [unread, "hello"]] as const) {
    using stalled = await RawClient.connect(server);
    await stalled.send(request);
    await stalled.until(begin);
    while (true) {
      if (/^HTTP\/1\.1 200 /.test(await exchange(server, CLOSING_GET))) break;
    }
  }
});

const UPLOAD = "PUT / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";

Deno.test("a client that does not send the announced body is replaced", async () => {
  await using server = startServer({ maxConnections: 2, timeouts: { stall: 20 } });
  using first = await RawClient.connect(server);
  using second = await RawClient.connect(server);
  for (const client of [first, second]) {
    await client.send(UPLOAD);
    await client.until("100 Continue\r\n\r\n");
  }
  while (!/^HTTP\/1\.1 200 /.test(await exchange(server, CLOSING_GET)));
  assertEquals(await first.untilClosed(), "");
});

Deno.test("a body that arrives is not cut for another connection of its client", async () => {
  await using server = startServer({ maxConnections: 1, timeouts: { stall: 60_000 } });
  using upload = await RawClient.connect(server);
  await upload.send(UPLOAD);
  await upload.until("100 Continue\r\n\r\n");
  assertMatch(await exchange(server, CLOSING_GET), /^HTTP\/1\.1 503 /);
  await upload.send("hello");
  await upload.until("PUT / hello");
});

Deno.test({
  name: "a client with many unfinished bodies loses one at once to another client",
  ignore: !hasIpv6(),
  async fn() {
    await using server = startServer({ hostname: "::", maxConnections: 4, timeouts: { stall: 60_000 } });
    const connect = async (hostname: string) =>
      new RawClient(await Deno.connect({ hostname, port: server.port }));
    using other = await connect("127.0.0.1");
    using first = await connect("::1");
    using second = await connect("::1");
    using third = await connect("::1");
    for (const client of [other, first, second, third]) {
      await client.send(UPLOAD);
      await client.until("100 Continue\r\n\r\n");
    }
    using next = await connect("127.0.0.1");
    await next.send(GET);
    await next.until("GET / ");
    for (const client of [other, second, third]) {
      await client.send("hello");
      await client.until("PUT / hello");
    }
    assertEquals(await first.untilClosed(), "");
  },
});

Deno.test({
  name: "an address with many connections displaces its own before those of others",
  // Two addresses of this machine are needed.
  ignore: !hasIpv6(),
  fn: displacesOwn,
});

async function displacesOwn(): Promise<void> {
  await using server = startServer({ hostname: "::", handler: text, maxConnections: 4 });
  const connect = async (hostname: string) =>
    new RawClient(await Deno.connect({ hostname, port: server.port }));
  using other = await connect("127.0.0.1");
  using first = await connect("::1");
  using _second = await connect("::1");
  using _third = await connect("::1");
  using next = await connect("::1");
  assertEquals(await first.untilClosed(), "");
  await next.send(GET);
  await next.until("hello");
  await other.send(GET);
  await other.until("hello");
}

function hasIpv6(): boolean {
  try {
    Deno.listen({ hostname: "::1", port: 0 }).close();
    return true;
  } catch {
    console.warn("skipped: no IPv6 on this machine");
    return false;
  }
}

Deno.test({
  name: "a process without descriptors continues to serve, and logs it once",
  ignore: Deno.build.os === "windows",
  async fn() {
    const script = new URL("./exhausted_server.ts", import.meta.url).pathname;
    const child = new Deno.Command("sh", {
      // Both limits: Deno raises the soft one to the hard one.
      args: ["-c", `ulimit -n 64 && exec "$0" run -A --no-check "$1"`, Deno.execPath(), script],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const stderr = new Response(child.stderr).text();
    const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    const port = Number((await reader.read()).value);
    await reader.cancel();
    using silent = new DisposableStack();
    for (let i = 0; i < 100; i++) silent.use(await Deno.connect({ hostname: "127.0.0.1", port }));
    using client = new RawClient(await Deno.connect({ hostname: "127.0.0.1", port }));
    await client.send(GET);
    await client.until("hello");
    await child.stdin.close();
    assertEquals((await child.status).code, 0);
    const log = await stderr;
    assertEquals(log.match(/cannot accept connections/g)?.length, 1, log);
    assertMatch(log, /connections are accepted again/);
  },
});
