import { assert, assertEquals, assertRejects } from "@std/assert";
import { EngineClient, type EngineClientOptions, EngineError } from "../../src/client/mod.ts";

const JOB = { job_id: 1, status: "done" };

/**
 * A client whose engine sends the listed responses, repeating the last, on a clock that only delays advance.
 */
function scripted(responses: (() => Response | Error)[], options: Partial<EngineClientOptions> = {}) {
  const seen = { tries: 0, waits: [] as number[], clock: 0 };
  const client = new EngineClient({
    baseUrl: "http://engine.test",
    fetch: () => {
      const response = responses[Math.min(seen.tries++, responses.length - 1)]!();
      return response instanceof Error ? Promise.reject(response) : Promise.resolve(response);
    },
    random: () => 1,
    delay: (ms) => {
      seen.waits.push(ms);
      seen.clock += ms;
      return Promise.resolve();
    },
    now: () => seen.clock,
    ...options,
  });
  return { client, seen };
}

const status = (code: number) => () => new Response("", { status: code });
const reset = () =>
  new TypeError("fetch failed", {
    cause: new Error(
      "error sending request: client error (SendRequest): connection closed before message completed",
    ),
  });
const refusedConnection = () =>
  new TypeError("fetch failed", { cause: new Error("client error (Connect): refused") });
const good = () => Response.json(JOB);

for (
  const [name, bad] of Object.entries({
    reset,
    refusedConnection,
    502: status(502),
    503: status(503),
    504: status(504),
  })
) {
  Deno.test(`a read that fails with ${name} is retried, at most twice`, async () => {
    const recovering = scripted([bad, bad, good]);
    assertEquals((await recovering.client.job(1)).status, "done");
    assertEquals(recovering.seen.tries, 3);
    const hopeless = scripted([bad]);
    await assertRejects(() => hopeless.client.job(1), EngineError);
    assertEquals(hopeless.seen.tries, 3);
  });

  Deno.test(`a write that fails with ${name} is not retried`, async () => {
    const { client, seen } = scripted([bad, good]);
    await assertRejects(() => client.deleteDocument(1), EngineError);
    await assertRejects(() => scripted([bad, good]).client.addNote({ text: "x", tags: [] }), EngineError);
    assertEquals([seen.tries, seen.waits], [1, []]);
  });
}

for (const code of [400, 401, 404, 413, 429, 500, 507]) {
  Deno.test(`a read that fails with ${code} is not retried`, async () => {
    const { client, seen } = scripted([status(code), good]);
    await assertRejects(() => client.job(1), EngineError);
    assertEquals(seen.tries, 1);
  });
}

Deno.test("a search is retried, although it is a POST", async () => {
  const { client, seen } = scripted([status(503), () => Response.json({ results: [] })]);
  await client.search({ query: "x" });
  assertEquals(seen.tries, 2);
});

Deno.test("retry delays have full jitter up to 50 and 100 milliseconds", async () => {
  const slowest = scripted([status(503)]);
  await assertRejects(() => slowest.client.job(1));
  assertEquals(slowest.seen.waits, [50, 100]);
  const fastest = scripted([status(503)], { random: () => 0 });
  await assertRejects(() => fastest.client.job(1));
  assertEquals(fastest.seen.waits, [0, 0]);
});

Deno.test("nothing is retried after the retry window", async () => {
  const { client, seen } = scripted([
    status(503),
    () => {
      seen.clock += 500;
      return new Response("", { status: 503 });
    },
  ]);
  await assertRejects(() => client.job(1));
  assertEquals(seen.tries, 2);
});

Deno.test("a probe that fails slowly is not repeated", async () => {
  let probes = 0;
  const { client, seen } = scripted([good], {
    probe: () => {
      probes++;
      seen.clock += 1_400;
      return Promise.reject(new Error("failed to lookup address information"));
    },
  });
  await assertRejects(() => client.job(1), EngineError, "name not found");
  assertEquals([probes, seen.tries], [1, 0]);
});

Deno.test("a call that times out between two tries reports the failure, not the timeout", async () => {
  const { client } = scripted([status(503)], {
    timeoutMs: 20,
    delay: (_ms, signal) =>
      new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  });
  const error = await assertRejects(() => client.job(1), EngineError);
  assertEquals(error.code, "busy");
});

Deno.test("retries leave no listener behind", async () => {
  const { client } = scripted([status(503), status(503), good]);
  const stop = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = stop.signal;
  Object.assign(stop.signal, {
    addEventListener(...args: Parameters<typeof addEventListener>) {
      listeners++;
      addEventListener.apply(stop.signal, args);
    },
    removeEventListener(...args: Parameters<typeof removeEventListener>) {
      listeners--;
      removeEventListener.apply(stop.signal, args);
    },
  });
  await client.job(1, { signal: stop.signal });
  assertEquals(listeners, 0);
  assert(!stop.signal.aborted);
});

const retryAfter = (code: number, value: string) => () =>
  new Response("", { status: code, headers: { "retry-after": value } });

for (const code of [429, 503]) {
  Deno.test(`a read is retried after the delay that a ${code} requests`, async () => {
    const { client, seen } = scripted([retryAfter(code, "2"), good]);
    assertEquals((await client.job(1)).status, "done");
    assertEquals(seen.waits, [2_050]);
  });

  Deno.test(`the error of a ${code} names the requested delay, if that is too long to wait`, async () => {
    for (
      const [value, delay] of [["60", "60 seconds"], ["1000", "17 minutes"], ["999999", "278 hours"]] as const
    ) {
      const { client, seen } = scripted([retryAfter(code, value), good]);
      const error = await assertRejects(() => client.job(1), EngineError, `Try again in ${delay}.`);
      assertEquals([error.code, seen.tries], ["busy", 1]);
    }
  });

  Deno.test(`a write that fails with a ${code} is not retried, and its error names the delay`, async () => {
    const { client, seen } = scripted([retryAfter(code, "1"), good]);
    await assertRejects(() => client.deleteDocument(1), EngineError, "Try again in 1 second.");
    assertEquals(seen.tries, 1);
  });
}

Deno.test("a requested delay beyond the deadline is not waited for", async () => {
  const { client, seen } = scripted([retryAfter(503, "2"), good], { timeoutMs: 1_000 });
  await assertRejects(() => client.job(1), EngineError, "Try again in 2 seconds.");
  assertEquals(seen.tries, 1);
});

Deno.test("requested delays add up to five seconds at most", async () => {
  const { client, seen } = scripted([retryAfter(503, "3")]);
  await assertRejects(() => client.job(1), EngineError, "Try again in 3 seconds.");
  assertEquals(seen.waits, [3_050]);
});
