import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import {
  EngineClient,
  type EngineClientOptions,
  EngineError,
  type EngineErrorCode,
} from "../../src/client/mod.ts";
import { breakingServer, head, httpServer, rawServer, type Script } from "./servers.ts";

/** A misbehaving server, with the error of a read, its number of tries, and the error of a write. */
interface Case {
  readonly name: string;
  readonly script: Script;
  readonly options?: Partial<EngineClientOptions>;
  readonly read: readonly [EngineErrorCode, RegExp, tries: number];
  readonly write: readonly [EngineErrorCode, RegExp];
}

const CHECK = /Check with kb_get whether the document is still there/;
const JOB = '{"job_id":1,"status":"done"}';
const hang: Script = ({ testOver }) => testOver;

const CASES: Case[] = [
  {
    name: "hangs before the headers",
    script: hang,
    options: { timeoutMs: 1000 },
    read: ["timeout", /did not finish its response within 1 s/, 1],
    write: ["outcome_unknown", CHECK],
  },
  {
    name: "hangs within the body",
    script: async ({ write, testOver }) => {
      await write(head(200, { "content-length": 100 }) + "{");
      await testOver;
    },
    options: { timeoutMs: 1000 },
    read: ["timeout", /within 1 s/, 1],
    write: ["outcome_unknown", CHECK],
  },
  {
    name: "never finishes its body",
    script: async ({ write, testOver }) => {
      let over = false;
      testOver.then(() => over = true);
      await write(head(200, { "transfer-encoding": "chunked" }));
      while (!over) {
        await write("1\r\n \r\n");
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    options: { timeoutMs: 1000 },
    read: ["timeout", /within 1 s/, 1],
    write: ["outcome_unknown", CHECK],
  },
  {
    name: "closes the connection before it responds",
    script: () => {},
    read: ["unreachable", /connection closed before the response/, 3],
    write: ["outcome_unknown", CHECK],
  },
  {
    name: "closes the connection within a body of known length",
    script: ({ write }) => write(head(200, { "content-length": 100 }) + JOB),
    read: ["invalid_response", /the response broke off/, 3],
    write: ["outcome_unknown", CHECK],
  },
  {
    name: "closes the connection within a chunked body",
    script: ({ write }) => write(head(200, { "transfer-encoding": "chunked" }) + `1c\r\n${JOB}\r\n`),
    read: ["invalid_response", /the response broke off/, 3],
    write: ["outcome_unknown", CHECK],
  },
  {
    name: "declares a size over the limit",
    script: ({ write }) => write(head(200, { "content-length": 5000 })),
    options: { maxResponseBytes: 1000 },
    read: ["invalid_response", /more than 1000 bytes/, 1],
    write: ["invalid_response", CHECK],
  },
  {
    name: "sends an undeclared size over the limit",
    script: async ({ write, testOver }) => {
      await write(head(200, { "transfer-encoding": "chunked" }));
      for (let i = 0; i < 3; i++) await write(`200\r\n${" ".repeat(512)}\r\n`);
      await testOver;
    },
    options: { maxResponseBytes: 1000 },
    read: ["invalid_response", /more than 1000 bytes/, 1],
    write: ["invalid_response", CHECK],
  },
  {
    name: "does not speak HTTP",
    script: ({ write }) => write("SSH-2.0-OpenSSH_9.9\r\n"),
    read: ["invalid_response", /did not respond with HTTP/, 1],
    write: ["invalid_response", /KB_ENGINE_URL/],
  },
  {
    name: "sends an HTML page",
    script: ({ write }) => write(head(200, { "content-type": "text/html", "content-length": 6 }) + "<html>"),
    read: ["invalid_response", /not JSON \(text\/html\)/, 1],
    write: ["invalid_response", CHECK],
  },
  {
    name: "sends broken JSON",
    script: ({ write }) => write(head(200, { "content-length": 2 }) + "{]"),
    read: ["invalid_response", /not JSON \(application\/json\)/, 1],
    write: ["invalid_response", CHECK],
  },
  {
    name: "redirects",
    script: ({ write }) =>
      write(head(307, { location: "https://user:pw@kb.example/login?token=t", "content-length": 0 })),
    read: [
      "invalid_response",
      /redirects to https:\/\/kb\.example \(307\)\. Set KB_ENGINE_URL to the final address\./,
      1,
    ],
    write: ["invalid_response", /redirects to/],
  },
  {
    name: "redirects without a location",
    script: ({ write }) => write(head(302, { "content-length": 0 })),
    read: ["invalid_response", /responded with 302/, 1],
    write: ["invalid_response", /KB_ENGINE_URL/],
  },
];

for (const { name, script, options, read, write } of CASES) {
  Deno.test(`an engine that ${name}: a read fails with ${read[0]}, a write with ${write[0]}`, async () => {
    await using server = rawServer(script);
    const client = new EngineClient({ baseUrl: server.url, ...options });
    const reading = await assertRejects(() => client.job(1), EngineError);
    assertEquals([reading.code, server.count()], [read[0], read[2]]);
    assertMatch(reading.message, read[1]);
    assertEquals(reading.message.includes("token"), false);
    const before = server.count();
    const writing = await assertRejects(() => client.deleteDocument(1), EngineError);
    assertEquals([writing.code, server.count() - before], [write[0], 1]);
    assertMatch(writing.message, write[1]);
  });
}

Deno.test("the error of a body outside the contract names the field, not its content", async () => {
  await using server = httpServer(() => Response.json({ results: [{ chunk_id: 1, text: "SECRET" }] }));
  const error = await assertRejects(
    () => new EngineClient({ baseUrl: server.url }).search({ query: "x" }),
    EngineError,
  );
  assertEquals(error.code, "invalid_response");
  assertMatch(error.message, /outside the contract, at results\.0\.document_id\./);
  assertEquals(error.message.includes("SECRET"), false);
});

Deno.test("bytes that are not UTF-8 are an invalid response", async () => {
  const bytes = new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]);
  const client = new EngineClient({ baseUrl: "http://e", fetch: () => Promise.resolve(new Response(bytes)) });
  const error = await assertRejects(() => client.job(1), EngineError, "not UTF-8");
  assertEquals(error.code, "invalid_response");
});

Deno.test("a caller can cancel a call, and the error of a write says that it may have taken effect", async () => {
  await using server = rawServer(hang);
  const client = new EngineClient({ baseUrl: server.url });
  for (const call of ["job", "deleteDocument"] as const) {
    const stop = new AbortController();
    const error = assertRejects(() => client[call](1, { signal: stop.signal }), EngineError);
    queueMicrotask(() => stop.abort());
    assertEquals((await error).code, "cancelled");
  }
  const stop = new AbortController();
  await using deaf = rawServer(({ testOver }) => {
    stop.abort();
    return testOver;
  });
  const late = await assertRejects(
    () => new EngineClient({ baseUrl: deaf.url }).deleteDocument(1, { signal: stop.signal }),
    EngineError,
  );
  assertEquals(late.code, "cancelled");
  assertMatch(late.message, CHECK);
});

Deno.test("a call that is cancelled before it starts sends nothing", async () => {
  await using server = httpServer(() => new Response());
  const client = new EngineClient({ baseUrl: server.url });
  const error = await assertRejects(() => client.status({ signal: AbortSignal.abort() }), EngineError);
  assertEquals([error.code, server.count()], ["cancelled", 0]);
});

Deno.test("a handler that ignores the deadline does not hold the call, and its late body is closed", async () => {
  const response = Promise.withResolvers<Response>();
  const closed = Promise.withResolvers<void>();
  const client = new EngineClient({
    baseUrl: "http://embedded",
    fetch: () => response.promise,
    timeoutMs: 20,
  });
  assertEquals((await assertRejects(() => client.job(1), EngineError)).code, "timeout");
  response.resolve(new Response(new ReadableStream({ cancel: () => closed.resolve() })));
  await closed.promise;
});

Deno.test("an in-process body that never ends does not hold the call", async () => {
  let closed = false;
  const body = () => new ReadableStream({ cancel: () => void (closed = true) });
  const client = new EngineClient({
    baseUrl: "http://embedded",
    fetch: () => Promise.resolve(new Response(body())),
    timeoutMs: 20,
  });
  assertEquals((await assertRejects(() => client.job(1), EngineError)).code, "timeout");
  assert(closed);
});

Deno.test("a handler that throws is an invalid response to a read, and an unknown outcome of a write", async () => {
  const client = new EngineClient({
    baseUrl: "http://embedded",
    fetch: () => {
      throw new Error("no such table: /private/path");
    },
  });
  const reading = await assertRejects(() => client.job(1), EngineError);
  const writing = await assertRejects(() => client.deleteDocument(1), EngineError);
  assertEquals([reading.code, writing.code], ["invalid_response", "outcome_unknown"]);
  assertEquals(`${reading.message}${writing.message}`.includes("table"), false);
});

Deno.test("a change is sent once, also when a connection that was used before breaks", async () => {
  const requests: string[] = [];
  await using server = breakingServer("DELETE", requests);
  const client = new EngineClient({ baseUrl: server.url });
  await client.documents();
  const error = await assertRejects(() => client.deleteDocument(1), EngineError);
  assertEquals(error.code, "outcome_unknown");
  // Reads use the connection of the first one.
  await client.documents();
  assertEquals(requests, ["GET", "DELETE", "GET"]);
});
