import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { EngineClient, EngineError, type EngineErrorCode } from "../../src/client/mod.ts";
import type { Logger } from "../../src/telemetry/mod.ts";
import { CLOSED_URL, unusedPort } from "../support/ports.ts";
import { blackHole, httpServer } from "./servers.ts";

const JOB = { job_id: 1, status: "done" };

async function failing(run: () => Promise<unknown>): Promise<EngineError> {
  return await assertRejects(run, EngineError);
}

Deno.test("a closed port is unreachable, for reads and for writes, and the error says what to check", async () => {
  const client = new EngineClient({ baseUrl: CLOSED_URL });
  for (const call of [() => client.status(), () => client.addNote({ text: "x", tags: [] })]) {
    const error = await failing(call);
    assertEquals(error.code, "unreachable");
    assertEquals(
      error.message,
      `The engine at ${CLOSED_URL} is unreachable (connection refused). ` +
        "Check that it runs and that KB_ENGINE_URL is right, then try again.",
    );
  }
});

Deno.test("a connection refused during fetch is unreachable, even for a write", async () => {
  const client = new EngineClient({ baseUrl: CLOSED_URL, probe: () => Promise.resolve() });
  const error = await failing(() => client.deleteDocument(1));
  assertEquals(error.code, "unreachable");
  assertMatch(error.message, /\(connection refused\)/);
});

Deno.test("an address that drops packets is unreachable after the connect timeout", async () => {
  await using hole = await blackHole();
  const client = new EngineClient({ baseUrl: hole.url });
  const error = await failing(() => client.status());
  assertEquals(error.code, "unreachable");
  assertMatch(error.message, /\(no response within 1\.5 s\)/);
});

Deno.test("concurrent calls share one probe, which outlives a cancelled call", async () => {
  let probes = 0;
  const probeResult = Promise.withResolvers<void>();
  const client = new EngineClient({
    baseUrl: "http://engine.test",
    fetch: ({ url }) => Promise.resolve(Response.json({ ...JOB, job_id: url.split("/").at(-1) })),
    probe: () => {
      probes++;
      return probeResult.promise;
    },
  });
  const stop = new AbortController();
  const cancelled = failing(() => client.job(1, { signal: stop.signal }));
  const others = [client.job(1), client.job(2)];
  stop.abort();
  assertEquals((await cancelled).code, "cancelled");
  probeResult.resolve();
  assertEquals((await Promise.all(others)).length, 2);
  assertEquals(probes, 1);
});

Deno.test("the last call that waits for a probe stops it", async () => {
  let ended: AbortSignal | undefined;
  const client = new EngineClient({
    baseUrl: "http://engine.test",
    fetch: () => Promise.resolve(Response.json(JOB)),
    probe: (signal) => {
      ended = signal;
      return new Promise(() => {});
    },
  });
  const error = await failing(() => client.job(1, { timeoutMs: 20 }));
  assertEquals(error.code, "unreachable");
  assertMatch(error.message, /no response within 0\.02 s/);
  assertEquals(ended?.aborted, true);
});

Deno.test("a response proves the engine reachable for five seconds, unless the connection is lost", async () => {
  let probes = 0;
  let clock = 0;
  let broken = false;
  const client = new EngineClient({
    baseUrl: "http://engine.test",
    fetch: () =>
      broken ? Promise.reject(new TypeError("connection refused")) : Promise.resolve(Response.json(JOB)),
    probe: () => {
      probes++;
      return Promise.resolve();
    },
    now: () => clock,
  });
  await client.job(1);
  clock = 4_999;
  await client.job(1);
  assertEquals(probes, 1);
  clock = 10_000;
  await client.job(1);
  assertEquals(probes, 2);
  broken = true;
  await failing(() => client.deleteDocument(1));
  assertEquals(probes, 2);
  await failing(() => client.deleteDocument(1));
  assertEquals(probes, 3);
});

Deno.test("a client recovers, and logs the loss and the recovery once each", async () => {
  const events: string[] = [];
  const note = (event: string) => void events.push(event);
  const log: Logger = { debug() {}, info: note, warn: note, error: note };
  const port = unusedPort();
  const client = new EngineClient({ baseUrl: `http://127.0.0.1:${port}`, log });
  await failing(() => client.job(1));
  await failing(() => client.job(1));
  const server = Deno.serve(
    { hostname: "127.0.0.1", port, onListen() {} },
    () => Response.json(JOB),
  );
  assertEquals((await client.job(1)).status, "done");
  assertEquals((await client.job(1)).status, "done");
  await server.shutdown();
  assertEquals(events, ["engine unreachable", "engine reachable again"]);
});

const REASONS: [string, string][] = [
  ["failed to lookup address information: Name or service not known", "name not found"],
  ["No such host is known. (os error 11001)", "name not found"],
  ["No route to host (os error 113)", "no route to host"],
  ["something else", "connection failed"],
];

for (const [words, reason] of REASONS) {
  Deno.test(`a probe that fails with "${words}" is reported as: ${reason}`, async () => {
    const client = new EngineClient({
      baseUrl: "http://engine.test",
      probe: () => Promise.reject(new Error(words)),
      delay: () => Promise.resolve(),
    });
    const error = await failing(() => client.status());
    assertEquals([error.code, error.message.includes(`(${reason})`)], ["unreachable", true]);
  });
}

/** An error of Deno's fetch, with the words of hyper. */
function fetchFailure(words: string): TypeError {
  const cause = new Error(
    `error sending request for url (http://connectionrefused.test/): client error ${words}`,
  );
  return new TypeError("fetch failed", { cause });
}

const PHASES: [string, EngineErrorCode, string][] = [
  ["(Connect): dns error: no record", "unreachable", "(name not found)"],
  ["(Connect): something new", "unreachable", "(connection failed)"],
  ["(SendRequest): TLS handshake: connection refused", "outcome_unknown", "may or may not"],
  ["(Canceled)", "outcome_unknown", "may or may not"],
];

for (const [words, code, part] of PHASES) {
  Deno.test(`a write that fails with "${words}" is ${code}, regardless of the URL`, async () => {
    const client = new EngineClient({
      baseUrl: "http://engine.test",
      fetch: () => Promise.reject(fetchFailure(words)),
    });
    const error = await failing(() => client.deleteDocument(1));
    assertEquals([error.code, error.message.includes(part)], [code, true]);
  });
}

Deno.test("a probe that times out is not repeated", async () => {
  let probes = 0;
  const client = new EngineClient({
    baseUrl: "http://engine.test",
    connectTimeoutMs: 10,
    probe: () => {
      probes++;
      return new Promise(() => {});
    },
  });
  assertEquals((await failing(() => client.status())).code, "unreachable");
  assertEquals(probes, 1);
});

Deno.test("a server without TLS is unreachable over https", async () => {
  await using server = httpServer(() => Response.json(JOB));
  const client = new EngineClient({ baseUrl: server.url.replace("http:", "https:") });
  const error = await failing(() => client.deleteDocument(1));
  assertEquals(error.code, "unreachable");
  assertMatch(error.message, /\(TLS handshake failed\)/);
});
