import { assertEquals, assertRejects } from "@std/assert";
import { EngineClient, EngineError } from "../../../src/client/mod.ts";
import type { LocalEngine } from "../../../src/contract/mod.ts";
import { Engine } from "../../../src/engine/mod.ts";
import { MetricsRegistry } from "../../../src/telemetry/mod.ts";
import { engineOptions } from "../../support/engine_options.ts";
import { writeNewDatabase } from "../../support/new_database.ts";

/** An engine with a client for each way to call it. */
class TwoClients implements AsyncDisposable {
  readonly metrics = new MetricsRegistry();
  readonly engine: Engine;
  readonly #dataDir: string;
  /** Sends `Request` objects. */
  readonly overFetch: EngineClient;
  /** Passes values. */
  readonly local: EngineClient;

  private constructor(engine: Engine, dataDir: string, metrics: MetricsRegistry) {
    this.engine = engine;
    this.#dataDir = dataDir;
    this.metrics = metrics;
    const options = { baseUrl: "http://embedded", fetch: (request: Request) => engine.fetch(request) };
    this.overFetch = new EngineClient(options);
    this.local = new EngineClient({ ...options, local: () => engine });
  }

  static async open(): Promise<TwoClients> {
    const dataDir = await Deno.makeTempDir();
    const metrics = new MetricsRegistry();
    writeNewDatabase(dataDir);
    return new TwoClients(await Engine.open({ ...engineOptions(dataDir), metrics }), dataDir, metrics);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine.close();
    await Deno.remove(this.#dataDir, { recursive: true });
  }
}

/** Returns a result as JSON values, or the fields of an error. */
async function outcome(work: Promise<unknown>): Promise<unknown> {
  try {
    const result = await work;
    // A field with the value undefined would be no field in JSON.
    assertEquals(result, JSON.parse(JSON.stringify(result)), "The result must consist of JSON values");
    return withoutDurations(result);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    const { code, message, status, id, details, retryAfterMs } = error;
    return { code, message, status, id, details, retryAfterMs };
  }
}

/** Removes what differs between two equal requests. */
function withoutDurations(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, field) => /_ms$|_bytes$/.test(name) ? undefined : field));
}

Deno.test("a call with values has the result of a request, for every read and every kind of error", async () => {
  await using clients = await TwoClients.open();
  const { local } = clients;
  const signal = AbortSignal.timeout(60_000);
  const text = "The ferry leaves\r\nat noon.\rBring a jacket.";
  const tags = ["collection:memory", "sea"];
  let notes = 0;
  for (const client of [local, clients.overFetch]) {
    const { job_id } = await client.addNote({ text: `${text} ${notes++}`, title: "Ferry", tags });
    assertEquals((await client.waitForJob(job_id, { timeoutMs: 60_000, signal })).status, "done");
  }
  await local.editDocument(1, { title: "Boat" }, { ifVersion: 1 });
  await local.deleteDocument(2, { ifVersion: 1, actor: "Zoë Ω" });
  const calls: ((client: EngineClient) => Promise<unknown>)[] = [
    (client) => client.status(),
    (client) => client.search({ query: "ferry jacket", top: 3, detail: "context", tags: ["sea"] }),
    (client) => client.search({ query: "nothing", top: 0 }),
    (client) => client.search({ query: "ferry", cursor: "unknown" }),
    (client) => client.jobs({ limit: 1, status: "done" }),
    (client) => client.jobs({ limit: 1000 }),
    (client) => client.job(1),
    (client) => client.job(99),
    (client) => client.cancelJob(1),
    (client) => client.documents({ tag: "sea" }),
    (client) => client.queryDocuments({ limit: 5, group_by: "tag" }),
    (client) => client.document(1, { offset: 0, limit: 1, text: true }),
    (client) => client.document(1, { version: 1, chunks: false }),
    (client) => client.document(1, { version: 7 }),
    (client) => client.document(1, { offset: -1 }),
    (client) => client.document("01"),
    (client) => client.document("a/b"),
    (client) => client.document(2),
    (client) => client.document(99),
    (client) => client.listRevisions(1, { limit: 5 }),
    (client) => client.listTrash(),
    (client) => client.restoreDocument(99),
    (client) => client.deleteDocument(1, { ifVersion: 7 }),
    (client) => client.deleteDocument(1, { ifVersion: -1 }),
    (client) => client.changeTags(1, { add: ["\u0000"] }),
    (client) => client.editDocument(1, { title: "" }),
    (client) => client.updateNote(99, { text: "new" }),
    (client) => client.similarNotes({ text: "The ferry leaves at noon" }),
    (client) => client.importDocuments({ documents: [] }),
    (client) => client.addNote({ text: " ", tags: [] }),
    (client) => client.addNote({ text: "a", title: "x".repeat(17_000), tags: [] }),
    (client) => client.addNote({ text: "ü".repeat(2_000_001), tags: [] }),
    (client) => client.sources(),
    (client) => client.source(5),
    (client) => client.addSource({ name: "a" } as never),
  ];
  for (const call of calls) {
    assertEquals(await outcome(call(local)), await outcome(call(clients.overFetch)), String(call));
  }
  // Line ends and the author are those of a form that was transferred.
  assertEquals((await local.document(1)).chunks?.[0]?.text, "The ferry leaves\nat noon.\nBring a jacket. 0");
  assertEquals((await local.listTrash()).documents[0]?.deleted_by, "Zoë Ω");
  const exposed = await clients.metrics.expose();
  const counted = /kb_engine_requests_total\{route="updateNote",outcome="not_found"\} (\d+)/.exec(exposed);
  assertEquals(counted?.[1], "2");
});

Deno.test("a file is sent as a stream, also to an engine that is called with values", async () => {
  await using clients = await TwoClients.open();
  const { local } = clients;
  const bytes = new TextEncoder().encode("# Ferry\n\nIt leaves at noon.");
  const open = () => Promise.resolve(new Blob([bytes]).stream());
  const { job_id } = await local.addFile({ filename: "a.md", size: bytes.byteLength, open, tags: [] });
  const signal = AbortSignal.timeout(60_000);
  assertEquals((await local.waitForJob(job_id, { timeoutMs: 60_000, signal })).filename, "a.md");
});

Deno.test("a closing engine rejects calls with values, and waits for those in progress", async () => {
  await using clients = await TwoClients.open();
  const { engine } = clients;
  let isDone = false;
  const { signal } = new AbortController();
  const pending = engine.call("search", { json: { query: "ferry" }, signal }).then(({ status }) => {
    isDone = true;
    return status;
  });
  await engine.close();
  assertEquals([isDone, await pending], [true, 200]);
  const { status, body, retryAfterMs } = await engine.call("status", { signal });
  assertEquals([status, (body as { error: { code: string } }).error.code, retryAfterMs], [
    503,
    "shutting_down",
    2000,
  ]);
});

/** An engine whose calls end only when they are cancelled. */
class HangingEngine implements LocalEngine {
  signal: AbortSignal | undefined;
  onTimeout: (() => void) | undefined;
  isTimerRunning = false;

  call(_name: unknown, { signal }: { signal: AbortSignal }): Promise<never> {
    this.signal = signal;
    return new Promise(() => {});
  }

  startTimer(onTimeout: () => void): () => void {
    this.onTimeout = onTimeout;
    this.isTimerRunning = true;
    return () => this.isTimerRunning = false;
  }
}

Deno.test("a call with values ends when its caller cancels it, and at its deadline", async () => {
  for (const end of ["cancelled", "timeout"] as const) {
    const engine = new HangingEngine();
    const client = new EngineClient({ baseUrl: "http://embedded", local: () => engine });
    const stop = new AbortController();
    const pending = client.search({ query: "x" }, { signal: stop.signal });
    if (end === "cancelled") stop.abort();
    else engine.onTimeout?.();
    const { code } = await assertRejects(() => pending, EngineError);
    assertEquals([code, engine.signal?.aborted, engine.isTimerRunning], [end, true, false]);
  }
});

Deno.test("a call that was cancelled before does not reach the engine", async () => {
  const engine = new HangingEngine();
  const client = new EngineClient({ baseUrl: "http://embedded", local: () => engine });
  const { code } = await assertRejects(
    () => client.deleteDocument(1, { signal: AbortSignal.abort() }),
    EngineError,
  );
  assertEquals([code, engine.signal], ["cancelled", undefined]);
});
