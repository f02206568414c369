import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import { derivedTerms, loadStemmers } from "../../../../src/analysis/mod.ts";
import type { ThreadPort } from "../../../../src/async/mod.ts";
import type { SearchRequest, SearchResponse } from "../../../../src/contract/mod.ts";
import { KnowledgeBaseError } from "../../../../src/engine/knowledge_base/mod.ts";
import type { VectorSearch } from "../../../../src/engine/search/mod.ts";
import {
  localReads,
  SearchThreads,
  type SearchThreadsOptions,
} from "../../../../src/engine/sqlite/search_threads/mod.ts";
import type { SearchThreadSettings } from "../../../../src/engine/sqlite/search_threads/protocol.ts";
import {
  dataDirAt,
  openForReading,
  openForWriting,
  storageFault,
} from "../../../../src/engine/sqlite/store/mod.ts";
import { SharedRanking } from "../../../../src/engine/sqlite/vectors/mod.ts";
import { spawnSearch } from "../../../../src/engine/worker.ts";
import { writeCorpus } from "../search/corpus.ts";
import { vectorSearch } from "../search/vectors.ts";
import { spawnFaulty } from "./faulty_thread.ts";
import { EncodedJson } from "../../../../src/data_structures/mod.ts";

const NOW = "2026-03-31T09:00:00.000Z";
const TEXTS = [
  "Herons nest in tall trees.",
  "The kettle is in the cupboard.",
  "A kettle whistles, herons do not.",
];

/** A store with three documents, and threads to search it. */
class Store implements AsyncDisposable {
  readonly dir = dataDirAt(Deno.makeTempDirSync());
  readonly db = openForWriting(this.dir, () => NOW);
  readonly #threads: SearchThreads[] = [];

  constructor() {
    writeCorpus(this.db, TEXTS.map((text, at) => ({ title: `Note ${at}`, chunks: [text] })));
  }

  open(options: Partial<SearchThreadsOptions> = {}): SearchThreads {
    // The time of a read includes the start of its threads, which takes seconds on a busy machine.
    const defaults = { dataDir: this.dir.path, max: 1, spawn: spawnSearch, timeLimitMs: 60_000 };
    const threads = new SearchThreads({ ...defaults, ...options });
    this.#threads.push(threads);
    return threads;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#threads.map((threads) => threads.close()));
    this.db.close();
    await Deno.remove(this.dir.path, { recursive: true });
  }
}

/** Counts the threads that are started. */
function counting(spawn: () => ThreadPort): (() => ThreadPort) & { count: number } {
  const counted = Object.assign(() => (counted.count++, spawn()), { count: 0 });
  return counted;
}

const search = async (threads: SearchThreads, request: SearchRequest): Promise<SearchResponse> =>
  new EncodedJson<SearchResponse>((await threads.run("search", request)).response).value;
const total = async (threads: SearchThreads, query: string) => (await search(threads, { query })).total;

/** Returns the error that a read fails with. */
async function errorOf(read: Promise<unknown>): Promise<KnowledgeBaseError> {
  return await assertRejects(() => read, KnowledgeBaseError);
}

Deno.test("SearchThreads: reads have the results and errors of the calling thread", async () => {
  await using store = new Store();
  const vectors: VectorSearch = {
    ...vectorSearch(new Map([[2, 0.9], [1, 0.4]])),
    embed: (query) =>
      query === "offline"
        ? () => Promise.resolve({ warning: "No model" })
        : vectorSearch(new Map([[2, 0.9]])).embed(query),
  };
  const threads = store.open({ vectors });
  using db = openForReading(store.dir);
  const local = localReads({ db, vectors });
  const requests: SearchRequest[] = [
    { query: "kettle" },
    { query: "kettle herons", mode: "fts" },
    { query: "kettle", mode: "vector" },
    { query: "offline kettle" },
    { query: "offline" },
    { query: "kettel", since: "2025-01-01" },
    { query: '"tall trees" -kettle', detail: "context", max_tokens: 500 },
  ];
  for (const request of requests) {
    assertEquals(await threads.run("search", request), await local.run("search", request));
  }
  const cursor = { query: "kettle", cursor: "bm9uZQ" };
  const [error, expected] = await Promise.all(
    [threads, local].map((reads) => errorOf(reads.run("search", cursor))),
  );
  assertEquals([error?.code, error?.message], [expected?.code, expected?.message]);
  const note = { text: "The kettle is in the cupboard now." };
  assertEquals(await threads.run("similarNotes", note), await local.run("similarNotes", note));
  const list = { sort: "title", limit: 2 } as const;
  assertEquals(await threads.run("queryDocuments", list), await local.run("queryDocuments", list));
});

Deno.test("SearchThreads: a thread loads the stemmers for its first search", async () => {
  await using store = new Store();
  await loadStemmers();
  const text = "Die Häuser am Ufer";
  writeCorpus(store.db, [{ title: "Ufer", chunks: [text] }]);
  store.db.exec("UPDATE documents SET language = 'de', stemmed_languages = 'de' WHERE title = 'Ufer'");
  store.db.prepare("INSERT INTO derived_fts (rowid, body) VALUES (?, ?)")
    .run(TEXTS.length + 1, derivedTerms(text, ["de"]));
  assertEquals(await total(store.open({ warmsUp: false }), "Haus"), 1);
});

Deno.test("SearchThreads: every thread sees what was committed before the search", async () => {
  await using store = new Store();
  const spawn = counting(spawnSearch);
  const threads = store.open({ max: 2, spawn, growDelayMs: 0 });
  while (spawn.count < 2) await Promise.all(Array.from({ length: 8 }, () => total(threads, "kettle")));
  for (let count = 1; count <= 5; count++) {
    writeCorpus(store.db, [{ title: "Ibis", chunks: [`Ibis number ${count}.`] }]);
    const totals = await Promise.all([1, 2, 3, 4].map(() => total(threads, "ibis")));
    assertEquals(totals, [count, count, count, count]);
  }
});

Deno.test("SearchThreads: a search that crashes two threads fails, and others succeed", async () => {
  await using store = new Store();
  const spawn = counting(spawnFaulty);
  const threads = store.open({ spawn });
  const [crashed, next] = await Promise.allSettled([total(threads, "crash"), total(threads, "kettle")]);
  assert(crashed.status === "rejected");
  assertInstanceOf(crashed.reason, KnowledgeBaseError);
  assertEquals([crashed.reason.code, spawn.count], ["internal", 2]);
  assertEquals(next, { status: "fulfilled", value: 2 });
  assertEquals(await total(threads, "herons"), 2);
});

Deno.test("SearchThreads: a search whose thread cannot open the database is busy, and later ones succeed", async () => {
  await using store = new Store();
  const threads = store.open();
  const moved = `${store.dir.database}.moved`;
  await Deno.rename(store.dir.database, moved);
  assertEquals((await errorOf(total(threads, "kettle"))).code, "busy");
  await Deno.rename(moved, store.dir.database);
  assertEquals(await total(threads, "kettle"), 2);
});

Deno.test("SearchThreads: a search whose thread crashes runs again in another", async () => {
  await using store = new Store();
  let crashes = 1;
  const threads = store.open({ spawn: () => crashes-- > 0 ? spawnFaulty() : spawnSearch() });
  assertEquals(await total(threads, "crash"), 0);
});

Deno.test("SearchThreads: a search that takes too long is ended, and others run in another thread", async () => {
  await using store = new Store();
  const threads = store.open({ spawn: spawnFaulty, timeLimitMs: 200 });
  // The time includes the start of the thread.
  while (await total(threads, "kettle").catch(() => 0) === 0);
  assertEquals((await errorOf(total(threads, "hang"))).code, "timeout");
  assertEquals(await total(threads, "kettle"), 2);
});

Deno.test("SearchThreads: aborting a search ends it in its thread", async () => {
  await using store = new Store();
  const spawn = counting(spawnFaulty);
  const threads = store.open({ spawn });
  await total(threads, "kettle");
  const leaving = new AbortController();
  const search = threads.run("search", { query: "hang" }, leaving.signal);
  const waiting = new AbortController();
  const second = threads.run("search", { query: "herons" }, waiting.signal);
  waiting.abort(new Error("changed my mind"));
  await assertRejects(() => second, Error, "changed my mind");
  leaving.abort(new Error("left"));
  await assertRejects(() => search, Error, "left");
  assertEquals([await total(threads, "kettle"), spawn.count], [2, 1]);
  await assertRejects(() => threads.run("search", { query: "kettle" }, leaving.signal), Error, "left");
});

Deno.test("SearchThreads: too many waiting searches are rejected as busy, and closing rejects all", async () => {
  await using store = new Store();
  const threads = store.open({ maxWaiting: 2 });
  const searches = [1, 2, 3].map(() => errorOf(total(threads, "kettle")));
  assertEquals((await errorOf(total(threads, "kettle"))).code, "busy");
  await threads.close();
  assertEquals((await Promise.all(searches)).map(({ code }) => code), ["internal", "internal", "internal"]);
  assertEquals((await errorOf(total(threads, "kettle"))).code, "internal");
});

Deno.test("SearchThreads: a burst of searches runs in one thread, and others start while reads keep waiting", async () => {
  await using store = new Store();
  const spawn = counting(spawnSearch);
  const burst = (threads: SearchThreads) =>
    Promise.all(Array.from({ length: 8 }, () => total(threads, "kettle")));
  const open = (growDelayMs: number) => store.open({ max: 2, spawn, growDelayMs, longReadMs: Infinity });
  const steady = open(Infinity);
  for (let count = 0; count < 20; count++) await burst(steady);
  assertEquals(spawn.count, 1);
  const growing = open(0);
  while (spawn.count < 3) await burst(growing);
});

Deno.test("SearchThreads: reads behind a long one get a thread of their own", async () => {
  await using store = new Store();
  const threads = store.open({ max: 2, spawn: spawnFaulty, growDelayMs: Infinity, longReadMs: 1 });
  await total(threads, "kettle");
  const leaving = new AbortController();
  const hanging = errorOf(threads.run("search", { query: "hang" }, leaving.signal)).catch(() => {});
  assertEquals(await total(threads, "kettle"), 2);
  leaving.abort(new Error("left"));
  await hanging;
});

Deno.test("SearchThreads: idle threads end, except for one", async () => {
  await using store = new Store();
  const spawn = counting(spawnSearch);
  const threads = store.open({ max: 2, idleMs: 1, spawn, growDelayMs: 0 });
  while (spawn.count < 2) await Promise.all(Array.from({ length: 8 }, () => total(threads, "kettle")));
  while (threads.size > 1) await new Promise((resolve) => setTimeout(resolve, 1));
  assertEquals(await total(threads, "kettle"), 2);
});

Deno.test("SearchThreads: a search that waits for vectors does not delay others of its thread", async () => {
  await using store = new Store();
  const { promise, resolve } = Promise.withResolvers<{ warning: string }>();
  const vectors = { ...vectorSearch(new Map()), embed: () => () => promise };
  const threads = store.open({ vectors });
  const first = search(threads, { query: "kettle" });
  assertEquals((await search(threads, { query: "herons", mode: "fts" })).total, 2);
  resolve({ warning: "No model" });
  assertEquals((await first).warning, "No model");
});

Deno.test("SearchThreads: a queued search interrupts one that only waits for its ranking", async () => {
  let receive = (_message: unknown) => {};
  const settings: SearchThreadSettings[] = [];
  const port: ThreadPort = {
    post(message) {
      const posted = message as { type: string; settings: SearchThreadSettings };
      if (posted.type === "open") settings.push(posted.settings);
      if (posted.type === "close") receive({ type: "closed" });
    },
    onMessage: (listener) => receive = listener,
    onEnd() {},
    terminate: () => Promise.resolve(),
  };
  const vectors = { ...vectorSearch(new Map()), embed: () => () => new Promise<never>(() => {}) };
  await using threads = new SearchThreads({ dataDir: "", max: 1, spawn: () => port, vectors });
  const running = threads.run("search", { query: "tea" });
  await Promise.resolve();
  for (const type of ["ready", "opened"]) receive({ type });
  const ranking = new SharedRanking(settings[0]!.rankings[0]!);
  const states = [ranking.isInterrupted];
  const queued = threads.run("search", { query: "milk" });
  states.push(ranking.isInterrupted);
  assertEquals(states, [false, true]);
  for (const [id, read] of [running, queued].entries()) {
    receive({ type: "response", id: id + 1, output: {} });
    await read;
  }
});

Deno.test("SearchThreads: a query is embedded and chunks are ranked once, whether before the search or by it", async () => {
  await using store = new Store();
  const calls: string[] = [];
  const ranked = vectorSearch(new Map([[2, 0.9], [1, 0.4]]));
  const vectors: VectorSearch = {
    ...ranked,
    embed: (query) => {
      calls.push(`embed ${query}`);
      return (request) => {
        calls.push(request.allowed ? "rank some" : "rank all");
        return ranked.embed(query)(request);
      };
    },
  };
  const threads = store.open({ vectors });
  const callsOf = async (request: SearchRequest) => {
    const { results } = await search(threads, request);
    return [calls.splice(0), results.length];
  };
  // The first search waits for its thread, and the ranking does not.
  assertEquals(await callsOf({ query: "kettle", mode: "vector" }), [["embed kettle", "rank all"], 2]);
  assertEquals(await callsOf({ query: "herons", mode: "vector", document_id: "2" }), [
    ["embed herons", "rank some"],
    1,
  ]);
  assertEquals(await callsOf({ query: "tea -cupboard", mode: "vector" }), [["embed tea", "rank some"], 1]);
  assertEquals(await callsOf({ query: "kettle", mode: "fts" }), [[], 2]);
});

Deno.test("SearchThreads: a ranking that has begun early fails its search only", async () => {
  await using store = new Store();
  const embed = () => () => Promise.reject(new Error("Out of order"));
  const threads = store.open({ vectors: { ...vectorSearch(new Map()), embed } });
  await assertRejects(() => search(threads, { query: "kettle" }), Error, "Out of order");
  assertEquals((await search(threads, { query: "kettle", mode: "fts" })).total, 2);
});

Deno.test("SearchThreads: a thread that cannot open the database reports why", async () => {
  await using store = new Store();
  store.db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  const file = await Deno.readFile(store.dir.database);
  await Deno.writeFile(store.dir.database, file.fill(0x58, 0, 100));
  const error = await errorOf(total(store.open(), "kettle"));
  assertEquals([error.code, storageFault(error)], ["internal", "storage_damaged"]);
});
