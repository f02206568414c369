import { assert, assertEquals } from "@std/assert";
import { VectorScanner } from "../../../../src/engine/sqlite/vectors/vector_scanner.ts";
import { openForReading } from "../../../../src/engine/sqlite/store/open_for_reading.ts";
import {
  BLOCK_VECTORS,
  codePageLayout,
  PAGE_VECTORS,
} from "../../../../src/engine/sqlite/store/code_page.ts";
import { storedVectorBytes } from "../../../../src/engine/sqlite/store/stored_vector.ts";
import {
  packingStep,
  readVectorPage,
  vectorPages,
  verifyPages,
} from "../../../../src/engine/sqlite/store/vector_pages.ts";
import { seededRandom } from "../../../support/random.ts";
import { bitset, IDENTITY, nearest, vectorMaker, VectorStore } from "./vector_store.ts";

const DIMENSIONS = 32;
const MIB = 2 ** 20;
/** Number of vectors with which a set gets pages in these tests. */
const MIN_VECTORS = 4096;

/** Opens a store with vectors, in clusters like those of texts, of which all full pages have codes. */
async function pagedStore(count = 4500) {
  const store = await VectorStore.open();
  const set = store.addSet({ dimensions: DIMENSIONS });
  const next = clusteredVectors(1);
  const vectors = new Map(Array.from({ length: count }, (_, i) => [i + 1, next()]));
  store.put(set, vectors);
  pack(store);
  return { store, set, vectors, next };
}

function pack(store: VectorStore): void {
  while (packingStep(store.db, MIN_VECTORS));
}

function cacheAll({ scanner }: Reader): void {
  while (scanner.cacheNext());
}

function lastPacked(store: VectorStore, set: number): number {
  return vectorPages(store.db, set).at(-1)!.last_seq;
}

/** Returns a seeded generator of vectors of length 1 near one of 50 centers. */
function clusteredVectors(seed: number): () => Float32Array<ArrayBuffer> {
  const next = vectorMaker(seed, DIMENSIONS);
  const { pick } = seededRandom(seed);
  const centers = Array.from({ length: 50 }, next);
  return () => {
    const center = pick(centers);
    const vector = next().map((each, i) => each + center[i]!);
    const length = Math.hypot(...vector);
    return vector.map((each) => each / length);
  };
}

class Reader implements Disposable {
  readonly #db;
  readonly scanner: VectorScanner;

  constructor(store: VectorStore, maxBytes = 64 * MIB) {
    this.#db = openForReading(store.dir);
    this.scanner = new VectorScanner(this.#db, IDENTITY, maxBytes);
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

/** Returns the share of the nearest vectors that searches find. The scores of those found must be exact. */
function recall(
  { scanner }: Reader,
  vectors: ReadonlyMap<number, Float32Array>,
  next: () => Float32Array,
  allowed?: Uint8Array,
): number {
  let found = 0;
  let wanted = 0;
  for (let i = 0; i < 10; i++) {
    const query = next();
    const isAllowed = (id: number) => !allowed || ((allowed[id >> 3] ?? 0) >> (id & 7) & 1) === 1;
    const expected = nearest(vectors, query, 10, isAllowed);
    const actual = scanner.search({ query, top: 10, ...(allowed && { allowed }) });
    const scores = new Map(expected.ids.map((id, at) => [id, expected.scores[at]]));
    for (const [at, id] of actual.ids.entries()) {
      if (!scores.has(id)) continue;
      assertEquals(actual.scores[at], scores.get(id));
      found++;
    }
    wanted += expected.ids.length;
    assertEquals(actual.passing, expected.passing);
    assertEquals(actual.embedded, vectors.size);
  }
  return found / wanted;
}

Deno.test("a search by codes finds the nearest vectors, in memory or on disk, with all changes", async () => {
  const { store, set, vectors, next } = await pagedStore();
  await using _ = store;
  assertEquals(vectorPages(store.db, set).length, 2);
  using inMemory = new Reader(store);
  using onDisk = new Reader(store, 0);
  for (const reader of [inMemory, onDisk]) assert(recall(reader, vectors, next) > 0.95);
  assertEquals([inMemory, onDisk].map(({ scanner }) => scanner.memory.complete), [true, false]);
  assert(onDisk.scanner.memory.bytes < MIB / 2);

  const removed = [...vectors.keys()].filter((id) => id % 5 === 0);
  store.remove(removed);
  for (const id of removed) vectors.delete(id);
  const added = Array.from({ length: 4000 }, (_, i) => [5001 + i, next()] as const);
  store.put(set, added);
  for (const [id, vector] of added) vectors.set(id, vector);
  for (const reader of [inMemory, onDisk]) assert(recall(reader, vectors, next) > 0.95);
  pack(store);
  assertEquals(vectorPages(store.db, set).length, 4);
  using late = new Reader(store);
  for (const reader of [inMemory, onDisk, late]) assert(recall(reader, vectors, next) > 0.95);
});

Deno.test("cached vectors give the same results, with all changes", async () => {
  const { store, set, vectors, next } = await pagedStore();
  await using _ = store;
  using reader = new Reader(store);
  using other = new Reader(store);
  assertEquals(recall(reader, vectors, next), recall(other, vectors, next));
  const { bytes } = reader.scanner.memory;
  cacheAll(reader);
  assert(reader.scanner.memory.bytes >= bytes + 2 * PAGE_VECTORS * storedVectorBytes(DIMENSIONS));
  assert(recall(reader, vectors, next) > 0.95);
  const allowed = bitset([...vectors.keys()].filter((id) => id % 9 === 0), 1000);
  assertEquals(recall(reader, vectors, next, allowed), 1);

  const removed = [...vectors.keys()].filter((id) => id % 5 === 0);
  store.remove(removed);
  for (const id of removed) vectors.delete(id);
  const added = Array.from({ length: 4000 }, (_, i) => [5001 + i, next()] as const);
  store.put(set, added);
  for (const [id, vector] of added) vectors.set(id, vector);
  pack(store);
  // Half of the pages are cached.
  assert(recall(reader, vectors, next) > 0.95);
  cacheAll(reader);
  assert(recall(reader, vectors, next) > 0.95);
  using late = new Reader(store);
  late.scanner.refresh();
  cacheAll(late);
  assert(recall(late, vectors, next) > 0.95);
  // No row of a page is read.
  store.db.exec(
    `UPDATE chunk_vectors SET vector = zeroblob(length(vector)) WHERE seq <= ${lastPacked(store, set)}`,
  );
  for (const cached of [reader, late]) assert(recall(cached, vectors, next) > 0.95);
});

Deno.test("cached vectors give more results than a page has vectors, with their scores", async () => {
  const { store, vectors, next } = await pagedStore(9000);
  await using _ = store;
  using reader = new Reader(store);
  reader.scanner.refresh();
  cacheAll(reader);
  const query = next();
  const expected = nearest(vectors, query, vectors.size);
  const scores = new Map(expected.ids.map((id, at) => [id, expected.scores[at]]));
  for (let round = 0; round < 2; round++) {
    const actual = reader.scanner.search({ query, top: 3000 });
    assertEquals(actual.ids.length, 3000);
    for (const [at, id] of actual.ids.entries()) assertEquals(actual.scores[at], scores.get(id));
    const top = new Set(expected.ids.slice(0, 3000));
    assert(actual.ids.filter((id) => top.has(id)).length > 0.95 * 3000);
  }
});

Deno.test("a set whose sample has other similarities than the rest is scanned again", async () => {
  await using store = await VectorStore.open();
  const set = store.addSet({ dimensions: DIMENSIONS });
  const next = clusteredVectors(3);
  const center = next();
  const near = () => next().map((each, i) => each / 4 + center[i]!);
  const count = 9 * PAGE_VECTORS;
  // Vectors of a block are neighbors. The sample has every fourth or fifth block.
  const sampled = new Set(Array.from({ length: 128 }, (_, i) => Math.floor(4.5 * i)));
  const vectors = new Map(
    Array.from(
      { length: count },
      (_, i) => [i + 1, sampled.has(Math.floor(i / BLOCK_VECTORS)) ? near() : next().map((each) => -each)],
    ),
  );
  store.put(set, vectors);
  pack(store);
  assertEquals(vectorPages(store.db, set).length, 9);
  using inMemory = new Reader(store);
  inMemory.scanner.refresh();
  cacheAll(inMemory);
  // Pages that are read one by one have no sample.
  using onDisk = new Reader(store, 0);
  const top = 90;
  let [found, reference] = [0, 0];
  for (let i = 0; i < 10; i++) {
    const query = near();
    const wanted = new Set(nearest(vectors, query, top).ids);
    const countFound = ({ scanner }: Reader) =>
      scanner.search({ query, top }).ids.filter((id) => wanted.has(id)).length;
    found += countFound(inMemory);
    reference += countFound(onDisk);
  }
  assert(found >= reference, `found ${found} in place of ${reference}`);
});

Deno.test("vectors are cached within the memory limit, which leaves space for codes", async () => {
  const { store, set, vectors, next } = await pagedStore();
  await using _ = store;
  const maxBytes = 790_000;
  using reader = new Reader(store, maxBytes);
  reader.scanner.refresh();
  const { bytes } = reader.scanner.memory;
  cacheAll(reader);
  const cachedBytes = reader.scanner.memory.bytes - bytes;
  const pageBytes = PAGE_VECTORS * storedVectorBytes(DIMENSIONS);
  assert(cachedBytes > pageBytes / 2 && cachedBytes < 2 * pageBytes, `cached ${cachedBytes} bytes`);
  assert(recall(reader, vectors, next) > 0.95);

  const added = Array.from({ length: 14_000 }, (_, i) => [5001 + i, next()] as const);
  store.put(set, added);
  for (const [id, vector] of added) vectors.set(id, vector);
  pack(store);
  reader.scanner.refresh();
  cacheAll(reader);
  assert(reader.scanner.memory.bytes > 9 * codePageLayout(DIMENSIONS).bytes);
  assert(reader.scanner.memory.bytes < maxBytes);
  assert(recall(reader, vectors, next) > 0.95);
});

Deno.test("a page is cached in steps, between which searches read its vectors from the table", async () => {
  const { store, vectors, next } = await pagedStore();
  await using _ = store;
  using reader = new Reader(store);
  reader.scanner.refresh();
  let steps = 0;
  while (reader.scanner.cacheNext()) {
    steps++;
    assert(recall(reader, vectors, next) > 0.95, `after ${steps} steps`);
  }
  assertEquals(steps, 8);
  // The limit leaves space for one page, which is cached completely.
  using limited = new Reader(store, 790_000);
  limited.scanner.refresh();
  cacheAll(limited);
  store.db.exec(`UPDATE chunk_vectors SET vector = zeroblob(length(vector)) WHERE seq <= ${PAGE_VECTORS}`);
  for (const id of [1, 600, 1200, PAGE_VECTORS]) {
    assertEquals(limited.scanner.search({ query: vectors.get(id)!, top: 1 }).ids[0], id);
  }
});

Deno.test("vectors that an older version stored as float32 are not cached", async () => {
  const { store, vectors } = await pagedStore();
  await using _ = store;
  const old = new Uint8Array(vectors.get(7)!.slice().buffer);
  store.db.prepare("UPDATE chunk_vectors SET vector = ? WHERE chunk_id = 7").run(old);
  using reader = new Reader(store);
  reader.scanner.refresh();
  cacheAll(reader);
  const { ids } = reader.scanner.search({ query: vectors.get(7)!, top: 10 });
  assertEquals(ids[0], 7);
});

Deno.test("a selective filter gives exact results", async () => {
  const { store, vectors, next } = await pagedStore();
  await using _ = store;
  using reader = new Reader(store);
  const allowed = bitset([...vectors.keys()].filter((id) => id % 9 === 0), 1000);
  assertEquals(recall(reader, vectors, next, allowed), 1);
});

Deno.test("a reader adopts codes that are written while it runs", async () => {
  await using store = await VectorStore.open();
  const set = store.addSet({ dimensions: DIMENSIONS });
  const next = clusteredVectors(2);
  const vectors = new Map(Array.from({ length: 4200 }, (_, i) => [i + 1, next()]));
  store.put(set, vectors);
  using reader = new Reader(store);
  assertEquals(recall(reader, vectors, next), 1);
  const { bytes } = reader.scanner.memory;
  pack(store);
  assert(recall(reader, vectors, next) > 0.95);
  assert(reader.scanner.memory.bytes < bytes);
});

Deno.test("a damaged page is searched exactly, and replaced", async () => {
  const { store, set, vectors, next } = await pagedStore();
  await using _ = store;
  store.db.exec("UPDATE vector_pages SET codes = zeroblob(length(codes)) WHERE id = 1");
  using reader = new Reader(store);
  assert(recall(reader, vectors, next) > 0.95);
  assertEquals(readVectorPage(store.db, 1, DIMENSIONS), undefined);
  verifyPages(store.db, 0);
  assertEquals(vectorPages(store.db, set).map(({ id }) => id), [2]);
  pack(store);
  assertEquals(vectorPages(store.db, set).map(({ id }) => id), [2, 3]);
  assert(recall(reader, vectors, next) > 0.95);
});

Deno.test("a page most of whose vectors were deleted is replaced", async () => {
  const { store, set, vectors, next } = await pagedStore();
  await using _ = store;
  using reader = new Reader(store);
  reader.scanner.refresh();
  const removed = [...vectors.keys()].filter((id) => id <= 1500);
  store.remove(removed);
  for (const id of removed) vectors.delete(id);
  assertEquals(verifyPages(store.db, 0), undefined);
  assertEquals(vectorPages(store.db, set).map(({ id }) => id), [2]);
  assert(recall(reader, vectors, next) > 0.95);
});

Deno.test("deletions are known even if their log entries were pruned", async () => {
  const { store, vectors, next } = await pagedStore();
  await using _ = store;
  store.remove([7, 8, 9]);
  for (const id of [7, 8, 9]) vectors.delete(id);
  store.db.exec("DELETE FROM removed_chunks WHERE seq < 3");
  using reader = new Reader(store);
  assert(recall(reader, vectors, next) > 0.95);
});
