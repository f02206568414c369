import { assert, assertEquals, assertRejects } from "@std/assert";
import { EngineClient, EngineError } from "../../src/client/mod.ts";

/** A client on a clock that only waiting moves; `answer` is asked at each poll with the time. */
function polled(answer: (now: number) => Response) {
  const seen = { waits: [] as number[], clock: 0 };
  const client = new EngineClient({
    baseUrl: "http://engine.test",
    fetch: () => Promise.resolve(answer(seen.clock)),
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

const job = (status: string) => Response.json({ job_id: 1, status });

for (const status of ["done", "failed"]) {
  Deno.test(`waiting ends with a job that is ${status}`, async () => {
    const { client, seen } = polled((now) => job(now < 50 ? "processing" : status));
    assertEquals((await client.waitForJob(1, { timeoutMs: 1000 })).status, status);
    assertEquals(seen.waits, [10, 16, 26]);
  });
}

Deno.test("pauses grow to a quarter of a second, and the last one ends with the time", async () => {
  const { client, seen } = polled(() => job("processing"));
  assertEquals((await client.waitForJob(1, { timeoutMs: 1000 })).status, "processing");
  assertEquals(seen.waits, [10, 16, 26, 41, 66, 105, 168, 250, 250, 69]);
  assertEquals(seen.clock, 1000);
});

Deno.test("without any time the job is asked for once", async () => {
  const { client, seen } = polled(() => job("queued"));
  assertEquals((await client.waitForJob(1, { timeoutMs: 0 })).status, "queued");
  assertEquals(seen.waits, [0]);
});

Deno.test("a failure on the way is not the end", async () => {
  const { client } = polled((now) => now < 30 ? new Response("", { status: 500 }) : job("done"));
  assertEquals((await client.waitForJob(1, { timeoutMs: 1000 })).status, "done");
});

Deno.test("a job that was seen is the answer even if the engine fails from then on", async () => {
  const { client } = polled((now) => now < 30 ? job("processing") : new Response("", { status: 500 }));
  assertEquals((await client.waitForJob(1, { timeoutMs: 300 })).status, "processing");
});

Deno.test("a job that was never seen fails with the last failure", async () => {
  const { client } = polled(() => new Response("", { status: 500 }));
  const error = await assertRejects(() => client.waitForJob(1, { timeoutMs: 300 }), EngineError);
  assertEquals(error.code, "invalid_response");
});

for (const [status, code] of [[404, "not_found"], [401, "unauthorized"]] as const) {
  Deno.test(`waiting ends at once with ${status}`, async () => {
    const { client, seen } = polled(() => Response.json({ error: { code, message: "x" } }, { status }));
    const error = await assertRejects(() => client.waitForJob(1, { timeoutMs: 1000 }), EngineError);
    assertEquals([error.code, seen.waits], [code, [10]]);
  });
}

Deno.test("an engine that hangs does not hold the waiting for longer than its time", async () => {
  const client = new EngineClient({ baseUrl: "http://e", fetch: () => new Promise(() => {}) });
  const started = performance.now();
  const error = await assertRejects(() => client.waitForJob(1, { timeoutMs: 50 }), EngineError);
  assertEquals(error.code, "timeout");
  assert(performance.now() - started < 1000);
});

Deno.test("waiting can be cancelled, before and while it asks", async () => {
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

Deno.test("waiting can be ended early, with the job as it is", async () => {
  const { client, seen } = polled(() => job("processing"));
  const ended = await client.waitForJob(1, { timeoutMs: 60_000, until: AbortSignal.abort() });
  assertEquals([ended.status, seen.clock], ["processing", 0]);

  const stop = new AbortController();
  const later = await client.waitForJob(1, {
    timeoutMs: 60_000,
    until: stop.signal,
    onSeen: () => stop.abort(),
  });
  assertEquals([later.status, seen.clock], ["processing", 10]);
});

Deno.test("who waits is told of the job each time that it is seen, and of no failure", async () => {
  const { client } = polled((now) => {
    if (now < 20) return job("queued");
    if (now < 40) return new Response("", { status: 500 });
    return job(now < 100 ? "processing" : "done");
  });
  const seen: string[] = [];
  await client.waitForJob(1, { timeoutMs: 1000, onSeen: ({ status }) => seen.push(status) });
  assertEquals(seen, ["queued", "processing", "processing", "done"]);
});
