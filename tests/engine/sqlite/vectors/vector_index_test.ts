import { vectorThread } from "../../../../src/engine/worker.ts";
import { assert, assertEquals, assertRejects } from "@std/assert";
import { PAGE_VECTORS } from "../../../../src/engine/sqlite/store/code_page.ts";
import { createDataDir, dataDirAt } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { openForWriting } from "../../../../src/engine/sqlite/store/open.ts";
import { storedVectorBytes } from "../../../../src/engine/sqlite/store/stored_vector.ts";
import { packingStep } from "../../../../src/engine/sqlite/store/vector_pages.ts";
import {
  VectorIndex,
  type VectorIndexOptions,
  VectorSearchError,
} from "../../../../src/engine/sqlite/vectors/mod.ts";
import { until } from "../backfill/support.ts";
import { heldThread } from "../../../support/held_thread.ts";
import { bitset, IDENTITY, nearest, vectorMaker, VectorStore } from "./vector_store.ts";

const MIB = 2 ** 20;

function start(dataDir: string, options: Partial<VectorIndexOptions> = {}): VectorIndex {
  return VectorIndex.start({
    dataDir,
    identity: IDENTITY,
    memoryBytes: 64 * MIB,
    spawn: vectorThread().vectors,
    ...options,
  });
}

Deno.test("concurrent searches get their own results, from the current state of the store", async () => {
  await using store = await VectorStore.open();
  const next = vectorMaker(5, 48);
  const kept = new Map(Array.from({ length: 2000 }, (_, i) => [i + 1, next()] as const));
  const set = store.addSet({ dimensions: 48 });
  store.put(set, kept);
  await using index = start(store.dir.path);
  assertEquals(index.memory(), { bytes: 0, vectors: 0, complete: true });
  const even = bitset([...kept.keys()].filter((id) => id % 2 === 0), 300);
  const queries = Array.from({ length: 40 }, next);
  const results = await Promise.all(
    queries.map((query, i) => index.search({ query, top: 1 + i, ...(i % 2 ? { allowed: even } : {}) })),
  );
  for (const [i, { ids, scores, passing, embedded }] of results.entries()) {
    const expected = nearest(kept, queries[i]!, 1 + i, (id) => i % 2 === 0 || id % 2 === 0);
    assertEquals({ ids: [...ids], scores: [...scores], passing }, expected);
    assertEquals(embedded, 2000);
  }
  store.put(set, [[2001, queries[0]!]]);
  assertEquals([...(await index.search({ query: queries[0]!, top: 1 })).ids], [2001]);
  const { bytes, vectors, complete } = index.memory();
  assert(bytes > 2001 * 48 && bytes < MIB, `${bytes} bytes`);
  assertEquals([vectors, complete], [2001, true]);
});

Deno.test("the vectors of pages of codes are cached after a search, and not before", async () => {
  await using store = await VectorStore.open();
  const next = vectorMaker(7, 128);
  store.put(
    store.addSet({ dimensions: 128 }),
    Array.from({ length: 2 * PAGE_VECTORS }, (_, i) => [i + 1, next()]),
  );
  while (packingStep(store.db, PAGE_VECTORS));
  await using index = start(store.dir.path);
  index.warmUp();
  await until(() => index.memory().vectors > 0, "the codes are loaded");
  const { bytes } = index.memory();
  const search = { query: next(), top: 5 };
  const { ids } = await index.search(search);
  assertEquals((await index.search(search)).ids, ids);
  const ofVectors = 2 * PAGE_VECTORS * storedVectorBytes(128);
  // Two searches would cache a quarter of them.
  await until(() => index.memory().bytes >= bytes + ofVectors, "all vectors are cached");
  assertEquals((await index.search(search)).ids, ids);
});

Deno.test("searches beyond the maximum are rejected as busy", async () => {
  await using store = await VectorStore.open();
  await using index = start(store.dir.path, { maxSearches: 3 });
  const query = new Float32Array([1]);
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => index.search({ query, top: 1 })));
  assertEquals(results.map(({ status }) => status), [
    ...Array(3).fill("fulfilled"),
    ...Array(2).fill("rejected"),
  ]);
  const [, , , , rejected] = results;
  assert(rejected?.status === "rejected" && rejected.reason instanceof VectorSearchError);
  assertEquals((await index.search({ query, top: 1 })).ids.length, 0);
});

Deno.test("a failed search hides the cause from the caller, and others succeed", async () => {
  await using store = await VectorStore.open();
  store.put(store.addSet({ dimensions: 2 }), [[1, new Float32Array([1, 0])]]);
  await using index = start(store.dir.path);
  const [bad, good] = await Promise.allSettled([
    index.search({ query: new Float32Array([1]), top: 1 }),
    index.search({ query: new Float32Array([1, 0]), top: 1 }),
  ]);
  assert(bad?.status === "rejected" && bad.reason instanceof VectorSearchError);
  assertEquals(bad.reason.message, "The vector search has failed");
  assertEquals(
    (bad.reason.cause as Error).message,
    "The query vector must have 2 dimensions, like the stored vectors, got 1",
  );
  assert(good?.status === "fulfilled");
  assertEquals([...good.value.ids], [1]);
});

Deno.test("a query that cannot be cloned fails its search, and the next search works", async () => {
  await using store = await VectorStore.open();
  await using index = start(store.dir.path);
  const query = new Float32Array([1]);
  await index.search({ query, top: 1 });
  const detached = new Float32Array([1]);
  structuredClone(detached.buffer, { transfer: [detached.buffer] });
  await assertRejects(() => index.search({ query: detached, top: 1 }), VectorSearchError);
  await index.search({ query, top: 1 });
});

Deno.test("a failed thread rejects its searches, and a search after the cool-down starts another", async () => {
  const path = await Deno.makeTempDir();
  {
    let now = 0;
    await using index = start(path, { now: () => now });
    const query = new Float32Array([1]);
    const results = await Promise.allSettled([
      index.search({ query, top: 1 }),
      index.search({ query, top: 1 }),
    ]);
    assertEquals(results.map(({ status }) => status), ["rejected", "rejected"]);
    const error = await assertRejects(() => index.search({ query, top: 1 }), VectorSearchError);
    assert((error.cause as Error).message.includes("kb.db"));
    await createDataDir(path);
    openForWriting(dataDirAt(path), () => "2026-01-01T00:00:00.000Z").close();
    now = 4999;
    assertEquals(await index.search({ query, top: 1 }).catch((reason) => reason), error);
    now = 5000;
    assertEquals((await index.search({ query, top: 1 })).embedded, 0);
  }
  await Deno.remove(path, { recursive: true });
});

Deno.test("a search ends with its timeout or signal, and abandoned ones do not count as pending", async () => {
  await using store = await VectorStore.open();
  store.put(store.addSet({ dimensions: 2 }), [[1, new Float32Array([1, 0])]]);
  const held = heldThread(vectorThread().vectors);
  await using index = start(store.dir.path, { maxSearches: 4, spawn: held.spawn });
  const query = new Float32Array([1, 0]);
  const controller = new AbortController();
  const aborted = index.search({ query, top: 1 }, { signal: controller.signal });
  controller.abort(new Error("client left"));
  await assertRejects(() => aborted, Error, "client left");
  for (let i = 0; i < 10; i++) {
    const loading = () => index.search({ query, top: 1 }, { timeoutMs: 0 });
    await assertRejects(loading, VectorSearchError, "The vectors are being loaded: try again in a moment");
  }
  held.letStart();
  assertEquals([...(await index.search({ query, top: 1 })).ids], [1]);
});

Deno.test("abandoned searches are never sent to a busy thread", async () => {
  await using store = await VectorStore.open();
  const next = vectorMaker(7, 256);
  store.put(store.addSet({ dimensions: 256 }), Array.from({ length: 4000 }, (_, i) => [i + 1, next()]));
  // Reads every vector from disk.
  await using index = start(store.dir.path, { memoryBytes: 1, maxSearches: 4 });
  const query = next();
  await index.search({ query, top: 1 });
  for (let i = 0; i < 20; i++) {
    const controller = new AbortController();
    const searches = Array.from(
      { length: 4 },
      () => index.search({ query, top: 1 }, { signal: controller.signal }),
    );
    controller.abort(new Error("client left"));
    const results = await Promise.allSettled(searches);
    assert(results.every(({ status }) => status === "rejected"));
  }
  assertEquals((await index.search({ query, top: 1 })).ids.length, 1);
});

Deno.test("close rejects pending and later searches, with or without a thread", async () => {
  await using store = await VectorStore.open();
  await start(store.dir.path).close();
  const warm = start(store.dir.path);
  warm.warmUp();
  await warm.close();
  const index = start(store.dir.path);
  const query = new Float32Array([1]);
  await index.search({ query, top: 1 });
  const search = index.search({ query, top: 1 });
  const closed = index.close();
  await assertRejects(() => search, VectorSearchError, "closed");
  await assertRejects(() => index.search({ query, top: 1 }), VectorSearchError, "closed");
  index.warmUp();
  await closed;
  await index.close();
});
