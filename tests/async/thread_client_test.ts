import { assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import {
  RemoteError,
  ThreadClient,
  type ThreadClientOptions,
  ThreadError,
  type ThreadPort,
  webWorkerPort,
} from "../../src/async/mod.ts";
import { gate, release, type Settings, spawnService, type Task } from "./thread_service.ts";

interface Options extends Omit<ThreadClientOptions<string>, "spawn" | "settings"> {
  readonly spawn?: () => ThreadPort | Promise<ThreadPort>;
  readonly settings?: Settings;
}

function start(options: Options = {}): ThreadClient<Task, unknown, string> {
  return new ThreadClient({ spawn: spawnService, settings: {}, ...options });
}

/** Returns the code that a request fails with. */
async function codeOf(request: Promise<unknown>): Promise<string> {
  return (await assertRejects(() => request, ThreadError)).code;
}

/** Starts a thread that never posts a message. */
const spawnSilent = () =>
  webWorkerPort(new Worker("data:text/javascript,setInterval(() => {}, 1000)", { type: "module" }));

Deno.test("ThreadClient: requests made while a thread starts get their responses when it is open", async () => {
  await using client = start();
  assertEquals(client.state, "starting");
  const requests = [1, 2, 3].map((echo) => client.request({ echo }));
  assertEquals(client.pending, 3);
  await client.opened;
  assertEquals(client.state, "open");
  assertEquals(await Promise.all(requests), [1, 2, 3]);
  assertEquals(client.pending, 0);
});

Deno.test("ThreadClient: an error of the service in a thread rejects its own request only", async () => {
  await using client = start();
  const [failed, next] = await Promise.allSettled([
    client.request({ do: "throw" }),
    client.request({ echo: 1 }),
  ]);
  if (failed.status !== "rejected") throw new Error("The first request must fail");
  const error: unknown = failed.reason;
  assertInstanceOf(error, RemoteError);
  assertEquals([error.code, error.message], ["no", "No"]);
  assertEquals((error.cause as Error).message, "TypeError: inner");
  assertEquals(next, { status: "fulfilled", value: 1 });
});

Deno.test("ThreadClient: a thread that crashes rejects every request and stays failed", async () => {
  const failures: ThreadError[] = [];
  await using client = start({ onFailure: (error) => failures.push(error) });
  const requests = [client.request({ do: "crash" }), client.request({ echo: 1 })];
  assertEquals(await Promise.all(requests.map(codeOf)), ["failed", "failed"]);
  assertEquals(client.state, "failed");
  assertEquals(await codeOf(client.request({ echo: 1 })), "failed");
  assertEquals(failures.length, 1);
  assertEquals(String(failures[0]?.cause).includes("Crashed"), true);
});

Deno.test("ThreadClient: a thread whose service cannot open fails with its error", async () => {
  const failures: ThreadError[] = [];
  const onFailure = (error: ThreadError) => failures.push(error);
  await using client = start({ onFailure, settings: { openError: "No database" } });
  const request = client.request({ echo: 1 });
  const error = await assertRejects(() => client.opened, ThreadError);
  assertEquals([error.code, (error.cause as Error).message], ["failed", "No database"]);
  assertEquals(await codeOf(request), "failed");
  assertEquals(failures, [error]);
});

Deno.test("ThreadClient: close completes pending requests and closes the service in a thread", async () => {
  const notices: string[] = [];
  const client = start({ onNotice: (notice) => notices.push(notice), maxInFlight: 1 });
  const requests = [1, 2, 3].map((echo) => client.request({ echo }));
  const closed = client.close({ timeoutMs: 60_000 });
  assertEquals(await codeOf(client.request({ echo: 4 })), "closed");
  assertEquals(await Promise.all(requests), [1, 2, 3]);
  await closed;
  assertEquals([client.state, notices], ["closed", ["closing"]]);
});

const STATES: [state: string, arrange: (client: ThreadClient<Task, unknown, string>) => Promise<unknown>][] =
  [
    ["starting", () => Promise.resolve()],
    ["open", (client) => client.opened],
    ["failed", (client) => client.request({ do: "crash" }).catch(() => {})],
    ["closed", (client) => client.terminate()],
  ];
for (const [state, arrange] of STATES) {
  for (const drain of [true, false]) {
    Deno.test(`ThreadClient: close ends a ${state} thread, with drain: ${drain}`, async () => {
      const client = start();
      await arrange(client);
      assertEquals(client.state, state);
      const closed = client.close({ drain, timeoutMs: 60_000 });
      await closed;
      assertEquals(client.state, state === "failed" ? "failed" : "closed");
      assertEquals(client.close(), closed);
      await assertRejects(() => client.request({ echo: 1 }), ThreadError);
    });
  }
}

Deno.test("ThreadClient: close without drain rejects pending requests at once", async () => {
  await using client = start();
  await client.opened;
  const blocked = gate();
  const requests = [client.request({ block: blocked }), client.request({ echo: 1 })];
  const closed = client.close({ drain: false, timeoutMs: 60_000 });
  assertEquals(await Promise.all(requests.map(codeOf)), ["closed", "closed"]);
  release(blocked);
  await closed;
});

Deno.test("ThreadClient: close terminates a thread that is blocked beyond the timeout", async () => {
  const client = start();
  const request = client.request({ block: gate() });
  await client.opened;
  const code = codeOf(request);
  await client.close({ timeoutMs: 0 });
  assertEquals([await code, client.state], ["closed", "closed"]);
});

Deno.test("ThreadClient: terminate before the thread was spawned ends it when it arrives", async () => {
  const spawned = Promise.withResolvers<ThreadPort>();
  const terminated = Promise.withResolvers<void>();
  const client = start({ spawn: () => spawned.promise });
  const request = client.request({ echo: 1 });
  const end = client.terminate();
  assertEquals(await codeOf(request), "closed");
  const port = await spawnService();
  spawned.resolve({
    ...port,
    terminate: async () => {
      await port.terminate();
      terminated.resolve();
    },
  });
  await end;
  await terminated.promise;
});

Deno.test("ThreadClient: a thread that cannot be spawned fails", async () => {
  await using client = start({
    spawn: () => {
      throw new Error("No more threads");
    },
  });
  const error = await assertRejects(() => client.opened, ThreadError);
  assertEquals([client.state, (error.cause as Error).message], ["failed", "No more threads"]);
});

Deno.test("ThreadClient: a thread that does not open within startTimeoutMs fails", async () => {
  await using client = start({ spawn: spawnSilent, startTimeoutMs: 1 });
  const error = await assertRejects(() => client.opened, ThreadError);
  assertEquals([client.state, error.code], ["failed", "failed"]);
  assertEquals(String(error.cause).includes("did not start within 1 ms"), true);
});

Deno.test("ThreadClient: settings that cannot be cloned fail the client", async () => {
  await using client = start({ settings: { openError: (() => {}) as unknown as string } });
  const error = await assertRejects(() => client.opened, ThreadError);
  assertEquals((error.cause as Error).name, "DataCloneError");
});

Deno.test("ThreadClient: an input or output that cannot be cloned rejects its own request only", async () => {
  await using client = start();
  const input = await assertRejects(() => client.request({ echo: () => {} }));
  assertEquals((input as Error).name, "DataCloneError");
  await assertRejects(() => client.request({ do: "returnFunction" }), RemoteError);
  assertEquals(await client.request({ echo: 1 }), 1);
});

Deno.test("ThreadClient: more than maxPending requests are rejected as busy", async () => {
  await using client = start({ maxPending: 2 });
  const requests = [1, 2, 3].map((echo) => client.request({ echo }));
  assertEquals(await codeOf(requests[2]!), "busy");
  assertEquals(await Promise.all(requests.slice(0, 2)), [1, 2]);
  assertEquals(await client.request({ echo: 4 }), 4);
});

Deno.test("ThreadClient: an abandoned request is never sent while others are in flight", async () => {
  await using client = start({ maxInFlight: 1 });
  await client.opened;
  const blocked = gate();
  const first = client.request({ block: blocked });
  const aborted = new AbortController();
  const waiting = client.request({ echo: 1 }, { signal: aborted.signal });
  const timedOut = client.request({ echo: 2 }, { timeoutMs: 0 });
  aborted.abort(new Error("gave up"));
  await assertRejects(() => waiting, Error, "gave up");
  assertEquals(await codeOf(timedOut), "timeout");
  assertEquals(client.pending, 1);
  release(blocked);
  await first;
  assertEquals(await client.request({ do: "count" }), 2);
});

Deno.test("ThreadClient: the timeout of a request can begin when the thread has started", async () => {
  const openGate = gate();
  await using client = start({ settings: { openGate } });
  const settled: string[] = [];
  const note = (name: string, request: Promise<unknown>) =>
    request.then(() => settled.push(`${name} done`), ({ code }) => settled.push(`${name} ${code}`));
  const patient = note("patient", client.request({ echo: 1 }, { timeoutMs: 0, startTimeoutMs: 60_000 }));
  const slow = note("slow", client.request({ echo: 2 }, { timeoutMs: 60_000, startTimeoutMs: 60_000 }));
  await note("impatient", client.request({ echo: 3 }, { timeoutMs: 60_000, startTimeoutMs: 0 }));
  assertEquals(settled, ["impatient timeout"]);
  release(openGate);
  await Promise.all([patient, slow]);
  assertEquals(settled.slice(1).includes("slow done"), true);
  const blocked = gate();
  const opened = client.request({ block: blocked }, { timeoutMs: 0, startTimeoutMs: 60_000 });
  assertEquals(await codeOf(opened), "timeout");
  release(blocked);
});

Deno.test("ThreadClient: the timeout continues in a thread that has started meanwhile", async () => {
  const openGate = gate();
  const blocked = gate();
  await using client = start({ settings: { openGate } });
  const request = client.request({ block: blocked }, { timeoutMs: 0, startTimeoutMs: 60_000 });
  release(openGate);
  await assertRejects(() => request, ThreadError, "No response within 0 ms");
  release(blocked);
});

Deno.test("ThreadClient: a request abandoned in flight is pending until its response, which is dropped", async () => {
  await using client = start({ maxInFlight: 1 });
  await client.opened;
  const blocked = gate();
  assertEquals(await codeOf(client.request({ block: blocked }, { timeoutMs: 0 })), "timeout");
  assertEquals(client.pending, 1);
  const next = client.request({ echo: 1 });
  release(blocked);
  assertEquals(await next, 1);
  assertEquals(client.pending, 0);
});

Deno.test("ThreadClient: a signal that is already aborted sends nothing", async () => {
  await using client = start();
  const signal = AbortSignal.abort(new Error("early"));
  await assertRejects(() => client.request({ echo: 1 }, { signal }), Error, "early");
  assertEquals(await client.request({ do: "count" }), 1);
});

Deno.test("ThreadClient: notices arrive before the response that follows them", async () => {
  const notices: string[] = [];
  await using client = start({ onNotice: (notice) => notices.push(notice) });
  await client.request({ notify: "a" });
  await client.request({ notify: "b" });
  assertEquals(notices, ["a", "b"]);
});
