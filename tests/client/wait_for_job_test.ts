import { assertEquals, assertRejects } from "@std/assert";
import { EngineClient, EngineError } from "../../src/client/mod.ts";

interface PolledOptions {
  /** Time for which the engine waits, at most, in milliseconds. */
  readonly waitsFor?: number;
  /** Whether the engine rejects `wait_ms`. */
  readonly rejects?: boolean;
  /** Version in the engine's status. */
  readonly version?: string;
}

/** A client on a clock that only delays and waits advance. `respond` gets the time of each response. */
function polled(
  respond: (now: number) => Response,
  { waitsFor = 0, rejects = false, version = "3.6.0" }: PolledOptions = {},
) {
  const seen = { waits: [] as number[], waitMs: [] as number[], clock: 0 };
  const client = new EngineClient({
    baseUrl: "http://engine.test",
    fetch: ({ url }) => {
      const { pathname, searchParams } = new URL(url);
      if (pathname.endsWith("/status")) return Promise.resolve(status(version));
      const waitMs = Number(searchParams.get("wait_ms"));
      seen.waitMs.push(waitMs);
      if (waitMs > 0 && rejects) return Promise.resolve(invalid());
      seen.clock += Math.min(waitMs, waitsFor);
      return Promise.resolve(respond(seen.clock));
    },
    delay: (ms, signal) => {
      if (signal.aborted) return Promise.reject(signal.reason);
      seen.waits.push(Math.round(ms));
      seen.clock += ms;
      return Promise.resolve();
    },
    random: () => 0,
    now: () => seen.clock,
  });
  return { client, seen };
}

const status = (version: string) => Response.json({ version, documents: { total: 0 }, queue: {} });
const invalid = () =>
  Response.json({ error: { code: "invalid", message: "wait_ms is unknown" } }, { status: 400 });
const job = (status: string) => Response.json({ job_id: 1, status });

for (const status of ["done", "failed"]) {
  Deno.test(`the wait ends when the job is ${status}`, async () => {
    const { client, seen } = polled((now) => job(now < 50 ? "processing" : status));
    assertEquals((await client.waitForJob(1, { timeoutMs: 1000 })).status, status);
    assertEquals(seen.waits, [10, 16, 26]);
  });
}

Deno.test("the wait ends when the files of an archive have ended, too", async () => {
  const unpacked = (queued: number) =>
    Response.json({ job_id: 1, status: "done", file_jobs: queued === 0 ? { done: 2 } : { queued, done: 1 } });
  const { client, seen } = polled((now) => unpacked(now < 50 ? 1 : 0));
  assertEquals((await client.waitForJob(1, { timeoutMs: 1000 })).file_jobs, { done: 2 });
  assertEquals(seen.waits, [10, 16, 26]);
});

Deno.test("delays grow to a quarter of a second, and the last one ends with the timeout", async () => {
  const { client, seen } = polled(() => job("processing"));
  assertEquals((await client.waitForJob(1, { timeoutMs: 1000 })).status, "processing");
  assertEquals(seen.waits, [10, 16, 26, 41, 66, 105, 168, 250, 250, 69]);
  assertEquals(seen.clock, 1000);
});

Deno.test("with a timeout of 0 the job is polled once", async () => {
  const { client, seen } = polled(() => job("queued"));
  assertEquals((await client.waitForJob(1, { timeoutMs: 0 })).status, "queued");
  assertEquals([seen.waitMs, seen.waits], [[0], []]);
});

Deno.test("a failed poll does not end the wait", async () => {
  const { client } = polled((now) => now < 30 ? new Response("", { status: 500 }) : job("done"));
  assertEquals((await client.waitForJob(1, { timeoutMs: 1000 })).status, "done");
});

Deno.test("the last known job is returned if the engine fails from then on", async () => {
  const { client } = polled((now) => now < 30 ? job("processing") : new Response("", { status: 500 }));
  assertEquals((await client.waitForJob(1, { timeoutMs: 300 })).status, "processing");
});

Deno.test("if no poll succeeds, the wait fails with the last error", async () => {
  const { client } = polled(() => new Response("", { status: 500 }));
  const error = await assertRejects(() => client.waitForJob(1, { timeoutMs: 300 }), EngineError);
  assertEquals(error.code, "invalid_response");
});

for (const [status, code] of [[404, "not_found"], [401, "unauthorized"]] as const) {
  Deno.test(`a ${status} ends the wait`, async () => {
    const { client, seen } = polled(() => Response.json({ error: { code, message: "x" } }, { status }));
    const error = await assertRejects(() => client.waitForJob(1, { timeoutMs: 1000 }), EngineError);
    assertEquals([error.code, seen.waits], [code, []]);
  });
}

Deno.test("an engine that hangs does not extend the wait", async () => {
  const client = new EngineClient({ baseUrl: "http://e", fetch: () => new Promise(() => {}) });
  const error = await assertRejects(() => client.waitForJob(1, { timeoutMs: 50 }), EngineError);
  assertEquals(error.code, "timeout");
});

Deno.test("a wait can be cancelled, before and during a poll", async () => {
  const { client } = polled(() => job("processing"));
  const before = await assertRejects(
    () => client.waitForJob(1, { timeoutMs: 1000, signal: AbortSignal.abort() }),
    EngineError,
  );
  assertEquals(before.code, "cancelled");
  const stop = new AbortController();
  const real = new EngineClient({
    baseUrl: "http://e",
    fetch: () => {
      stop.abort();
      return new Promise(() => {});
    },
  });
  const during = await assertRejects(
    () => real.waitForJob(1, { timeoutMs: 10_000, signal: stop.signal }),
    EngineError,
  );
  assertEquals(during.code, "cancelled");
});

Deno.test("a wait can be ended early, and returns the job", async () => {
  const { client, seen } = polled(() => job("processing"));
  const ended = await client.waitForJob(1, { timeoutMs: 60_000, until: AbortSignal.abort() });
  assertEquals([ended.status, seen.clock], ["processing", 0]);

  const stop = new AbortController();
  const later = await client.waitForJob(1, {
    timeoutMs: 60_000,
    until: stop.signal,
    onPoll: () => stop.abort(),
  });
  assertEquals([later.status, seen.clock], ["processing", 0]);
});

Deno.test("onPoll receives the job after each successful poll", async () => {
  const { client } = polled((now) => {
    if (now < 20) return job("queued");
    if (now < 40) return new Response("", { status: 500 });
    return job(now < 100 ? "processing" : "done");
  });
  const seen: string[] = [];
  await client.waitForJob(1, { timeoutMs: 1000, onPoll: ({ status }) => seen.push(status) });
  assertEquals(seen, ["queued", "queued", "processing", "processing", "done"]);
});

Deno.test("the engine waits for the job, in one request", async () => {
  const { client, seen } = polled((now) => job(now < 50 ? "processing" : "done"), { waitsFor: 500 });
  assertEquals((await client.waitForJob(1, { timeoutMs: 60_000 })).status, "done");
  assertEquals([seen.waitMs, seen.waits], [[20_000], []]);
});

Deno.test("a wait is repeated until the timeout, each second if somebody follows the progress", async () => {
  const { client, seen } = polled(() => job("processing"), { waitsFor: Infinity });
  await client.waitForJob(1, { timeoutMs: 50_000 });
  assertEquals([seen.waitMs, seen.waits], [[20_000, 20_000, 10_000], []]);
  const followed = polled(() => job("processing"), { waitsFor: Infinity });
  await followed.client.waitForJob(1, { timeoutMs: 2500, onPoll: () => {} });
  assertEquals(followed.seen.waitMs, [1000, 1000, 500]);
});

Deno.test("an engine that does not know wait_ms is polled without it", async () => {
  const { client, seen } = polled((now) => job(now < 50 ? "processing" : "done"), { rejects: true });
  assertEquals((await client.waitForJob(1, { timeoutMs: 1000 })).status, "done");
  assertEquals([seen.waitMs, seen.waits], [[1000, 0, 0, 0], [10, 16, 26]]);
  const old = polled((now) => job(now < 10 ? "processing" : "done"), { version: "3.5.0" });
  await old.client.status();
  assertEquals((await old.client.waitForJob(1, { timeoutMs: 1000 })).status, "done");
  assertEquals([old.seen.waitMs, old.seen.waits], [[0], [10]]);
});

Deno.test("a wait in the engine can be ended early, and returns the job", async () => {
  const stop = new AbortController();
  const client = new EngineClient({
    baseUrl: "http://engine.test",
    fetch: ({ url }) => {
      if (!url.includes("wait_ms")) return Promise.resolve(job("processing"));
      stop.abort();
      return new Promise(() => {});
    },
  });
  const ended = await client.waitForJob(1, { timeoutMs: 60_000, until: stop.signal });
  assertEquals(ended.status, "processing");
});
