import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { TextResponse } from "../../src/web/mod.ts";
import { exchange, RawClient, startServer } from "./client.ts";

const CLOSE = "Connection: close\r\n";
/** 8 MiB, more than the buffers of a local connection hold. */
const LARGE = "x".repeat(8 * 2 ** 20);

/** Returns a request with a body of a length. */
function post(path: string, body: string, fields = ""): string {
  return `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n${fields}\r\n${body}`;
}

/** Splits the responses on a connection into status and body. */
function parseResponses(text: string): [status: number, body: string][] {
  const responses: [number, string][] = [];
  for (let rest = text; rest !== "";) {
    const end = rest.indexOf("\r\n\r\n") + 4;
    const head = rest.slice(0, end);
    const length = Number(/^content-length: (\d+)/m.exec(head)?.[1] ?? 0);
    responses.push([Number(head.slice(9, 12)), rest.slice(end, end + length)]);
    rest = rest.slice(end + length);
  }
  return responses;
}

const text = () => new TextResponse("hello");

Deno.test("requests of a connection are answered one after the other, in order", async () => {
  await using server = startServer({
    handler: async ({ url, body }) =>
      new TextResponse(`${new URL(url).pathname}${await new Response(body).text()}`),
  });
  const received = await exchange(server, post("/1", "a") + post("/2", "bc") + post("/3", "", CLOSE));
  assertEquals(parseResponses(received), [[200, "/1a"], [200, "/2bc"], [200, "/3"]]);
});

Deno.test("more pipelined requests than a buffer holds are all answered", async () => {
  await using server = startServer({ handler: text });
  using client = await RawClient.connect(server);
  const sending = client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(5000) + post("/", "", CLOSE));
  const received = await client.untilClosed();
  await sending;
  assertEquals(parseResponses(received).length, 5001);
});

Deno.test("a request is the same, however its bytes are divided", async () => {
  await using server = startServer({
    handler: async (request) =>
      new TextResponse(`${request.headers.get("x")} ${await new Response(request.body).text()}`),
  });
  const request =
    "\r\nPUT /x HTTP/1.1\r\nHost: a\r\nX: y\r\nTransfer-Encoding: chunked\r\nConnection: x, Close\r\n\r\n" +
    "3;a\r\nabc\r\n4\r\ndefg\r\n0\r\nT: u\r\n\r\n";
  for (const size of [1, 2, 7, 50]) {
    using client = await RawClient.connect(server);
    client.conn.setNoDelay(true);
    for (let i = 0; i < request.length; i += size) await client.send(request.slice(i, i + size));
    assertEquals(parseResponses(await client.untilClosed()), [[200, "y abcdefg"]], `parts of ${size} bytes`);
  }
});

Deno.test("a malformed request gets its status, and ends the connection", async () => {
  await using server = startServer();
  const received = await exchange(
    server,
    "GET / HTTP/1.1\r\nHost : a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
  );
  assertEquals(parseResponses(received), [[400, "Malformed header field\n"]]);
});

Deno.test("clients of HTTP/2 with prior knowledge and of TLS get a clear response", async () => {
  await using server = startServer();
  assertMatch(
    await exchange(server, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
    /^HTTP\/1\.1 505 .*use HTTP\/1\.1\n$/s,
  );
  assertMatch(await exchange(server, "\x16\x03\x01"), /^HTTP\/1\.1 400 /);
});

Deno.test("an unread body ends the connection, which carries no further request", async () => {
  let requests = 0;
  await using server = startServer({
    handler: () => {
      requests++;
      return new TextResponse("no", { status: 401 });
    },
  });
  const hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n";
  using client = await RawClient.connect(server);
  await client.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${hidden.length}\r\n\r\n`);
  await client.until("connection: close\r\n");
  await client.send(hidden).catch(() => {});
  await client.untilClosed();
  assertEquals(requests, 1);
});

Deno.test("an unread body that has arrived with its head keeps the connection", async () => {
  await using server = startServer({ handler: text });
  const chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n";
  const received = await exchange(server, post("/", "abc") + chunked + post("/", "", CLOSE));
  assertEquals(parseResponses(received).length, 3);
});

Deno.test("a client that sends all of a rejected body first finds the response", async () => {
  await using server = startServer({ handler: () => new TextResponse("no", { status: 401 }) });
  const body = "x".repeat(16 * 2 ** 20);
  for (const length of [body.length, 2 * body.length]) {
    using client = await RawClient.connect(server);
    await client.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n`);
    for (let sent = 0; sent < length; sent += body.length) await client.send(body);
    assertMatch(await client.untilClosed(), /^HTTP\/1\.1 401 .*no$/s);
  }
});

Deno.test("a client that keeps sending a rejected body is cut at its deadline", async () => {
  await using server = startServer({ handler: text, timeouts: { linger: 60_000, lingerTotal: 50 } });
  using client = await RawClient.connect(server);
  await client.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n`);
  await client.until("hello");
  await assertRejects(async () => {
    while (true) {
      await client.send("x");
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  });
});

Deno.test("after a response to an unread body, a bounded part of the body is read", async () => {
  await using server = startServer({ handler: text, timeouts: { linger: 50 } });
  using client = await RawClient.connect(server);
  await client.send(`POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000000\r\n\r\n`);
  assertMatch(await client.until("hello"), /connection: close/);
  // The server would have to read for this to end without an error.
  await assertRejects(async () => {
    while (true) await client.send(LARGE);
  });
});

Deno.test("100 Continue is sent when the handler reads the body, and not before a rejection", async () => {
  await using server = startServer({
    handler: async ({ url, body }) =>
      url.endsWith("/rejected")
        ? new TextResponse("no", { status: 413 })
        : new TextResponse(await new Response(body).text()),
  });
  const head = (path: string) =>
    `PUT ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-Continue\r\n${CLOSE}\r\n`;
  using client = await RawClient.connect(server);
  await client.send(head("/"));
  assertEquals(await client.until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  await client.send("hello");
  assertEquals(parseResponses(await client.untilClosed()), [[200, "hello"]]);
  assertMatch(await exchange(server, head("/rejected")), /^HTTP\/1\.1 413 /);
  assertEquals(parseResponses(await exchange(server, head("/") + "hello")), [[200, "hello"]]);
  assertMatch(await exchange(server, post("/", "", "Expect: x\r\n")), /^HTTP\/1\.1 417 /);
});

Deno.test("the response to HEAD has the length but not the body; 204 has neither", async () => {
  await using server = startServer({
    handler: ({ url }) => url.endsWith("/204") ? new Response(null, { status: 204 }) : text(),
  });
  const request = (line: string) => `${line} HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`;
  assertMatch(
    await exchange(server, request("HEAD /")),
    /^HTTP\/1\.1 200 OK\r\n.*content-length: 5\r\n.*\r\n\r\n$/s,
  );
  const noContent = await exchange(server, request("GET /204"));
  assertMatch(noContent, /^HTTP\/1\.1 204 No Content\r\n/);
  assert(!/content-length|transfer-encoding/.test(noContent));
});

Deno.test("HTTP/1.0 gets no chunks, and the connection ends", async () => {
  await using server = startServer({ handler: () => new Response(new Blob(["ab"]).stream()) });
  const received = await exchange(server, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  assertMatch(received, /connection: close\r\n.*\r\n\r\nab$/s);
  assert(!received.includes("transfer-encoding"));
});

Deno.test("text of any length and script arrives with its length in bytes", async () => {
  for (
    const body of [
      "",
      "é",
      "日本語".repeat(2000),
      "x".repeat(5119),
      "x".repeat(5121),
      "é".repeat(40_000),
      LARGE,
    ]
  ) {
    const bytes = new TextEncoder().encode(body);
    const middle = body.length >> 1;
    const parts = [body.slice(0, middle), new TextEncoder().encode(body.slice(middle)), ""];
    for (const content of [body, [bytes], parts]) {
      await using server = startServer({ handler: () => new TextResponse(content) });
      const url = `http://127.0.0.1:${server.port}/`;
      const response = await fetch(url);
      assertEquals(response.headers.get("content-length"), `${bytes.length}`);
      assert(await response.text() === body);
      const { headers } = await fetch(url, { method: "HEAD" });
      assertEquals(headers.get("content-length"), `${bytes.length}`);
    }
  }
});

Deno.test("header values are sent as the bytes of Latin-1", async () => {
  const long = "é".repeat(2000);
  await using server = startServer({
    handler: () => new TextResponse("é", { headers: { "x-a": "é", "x-long": long } }),
  });
  const response = await fetch(`http://127.0.0.1:${server.port}/`);
  assertEquals([response.headers.get("x-a"), response.headers.get("x-long")], ["é", long]);
  assertEquals(await response.text(), "é");
});

Deno.test("a stream is sent as it is produced, and cancelled when the client disconnects", async () => {
  const cancelled = Promise.withResolvers<void>();
  const encoder = new TextEncoder();
  await using server = startServer({
    handler: () =>
      new Response(
        new ReadableStream({
          start: (controller) => {
            controller.enqueue(encoder.encode("first"));
            controller.enqueue(new Uint8Array());
          },
          cancel: () => cancelled.resolve(),
        }),
      ),
  });
  using client = await RawClient.connect(server);
  await client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  assertMatch(await client.until("5\r\nfirst\r\n"), /transfer-encoding: chunked/);
  client.conn.close();
  await cancelled.promise;
});

Deno.test("a stream that fails leaves its response incomplete", async () => {
  await using server = startServer({
    handler: () =>
      new Response(
        new ReadableStream({
          pull: (controller) => {
            controller.enqueue(new TextEncoder().encode("x"));
            controller.error(new Error("test"));
          },
        }, { highWaterMark: 0 }),
      ),
  });
  const received = await exchange(server, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  assert(!received.includes("\r\n0\r\n\r\n"));
});

Deno.test("a disconnect aborts the signal of the request, whether its body was pipelined or not", async () => {
  for (const body of ["", "abc"]) {
    const aborted = Promise.withResolvers<void>();
    const started = Promise.withResolvers<void>();
    await using server = startServer({
      handler: async ({ signal }) => {
        signal.addEventListener("abort", () => aborted.resolve());
        started.resolve();
        await aborted.promise;
        return text();
      },
    });
    using client = await RawClient.connect(server);
    await client.send(post("/", body) + "GET / HTTP/1.1\r\n");
    await started.promise;
    client.conn.close();
    await aborted.promise;
  }
});

Deno.test("a body that breaks off is an error for its reader", async () => {
  for (const framing of ["Content-Length: 10", "Transfer-Encoding: chunked"]) {
    const { promise: failed, resolve } = Promise.withResolvers<boolean>();
    await using server = startServer({
      handler: async ({ body }) => {
        await new Response(body).text().then(() => resolve(false), () => resolve(true));
        return text();
      },
    });
    using client = await RawClient.connect(server);
    await client.send(`POST / HTTP/1.1\r\nHost: a\r\n${framing}\r\n\r\n3\r\nabc`);
    await client.conn.closeWrite();
    assertEquals(await failed, true);
  }
});

Deno.test("an error of the handler is 500 and logged, and the connection continues", async () => {
  await using server = startServer({
    handler: () => {
      throw new Error("test");
    },
  });
  const received = await exchange(server, post("/", "") + post("/", "", CLOSE));
  assertEquals(parseResponses(received).map(([status]) => status), [500, 500]);
});

Deno.test("after a malformed body nothing is read as a request, even if the handler ignores the error", async () => {
  let requests = 0;
  await using server = startServer({
    handler: async ({ body }) => {
      requests++;
      await new Response(body).bytes().catch(() => {});
      return text();
    },
  });
  const request = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n0\r\n\r\n";
  await exchange(server, request + post("/hidden", ""));
  assertEquals(requests, 1);
});

Deno.test("OPTIONS * is answered for the server", async () => {
  await using server = startServer();
  assertMatch(await exchange(server, `OPTIONS * HTTP/1.1\r\nHost: a\r\n${CLOSE}\r\n`), /^HTTP\/1\.1 204 /);
});

Deno.test("a shutdown closes idle connections at once, and lets a request finish", async () => {
  const started = Promise.withResolvers<void>();
  const { promise: release, resolve } = Promise.withResolvers<void>();
  const server = startServer({
    handler: async () => {
      started.resolve();
      await release;
      return text();
    },
  });
  using idle = await RawClient.connect(server);
  using busy = await RawClient.connect(server);
  await busy.send(post("/", ""));
  await started.promise;
  const stopped = server.shutdown();
  assertEquals(await idle.untilClosed(), "");
  await assertRejects(() => RawClient.connect(server), Deno.errors.ConnectionRefused);
  resolve();
  assertMatch(await busy.untilClosed(), /connection: close\r\n.*hello$/s);
  await stopped;
});

Deno.test("a shutdown aborts a request that does not finish in time", async () => {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const server = startServer({
    handler: ({ signal }) => {
      signal.addEventListener("abort", () => resolve());
      started.resolve();
      return new Promise(() => {});
    },
    timeouts: { drain: 10 },
  });
  using client = await RawClient.connect(server);
  await client.send(post("/", ""));
  await started.promise;
  await server.shutdown();
  await aborted;
});
