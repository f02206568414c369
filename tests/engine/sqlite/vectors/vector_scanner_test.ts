import { assert, assertEquals, assertThrows } from "@std/assert";
import type { DatabaseSync } from "node:sqlite";
import { openForReading } from "../../../../src/engine/sqlite/store/open_for_reading.ts";
import type { EmbeddingIdentity } from "../../../../src/embeddings/mod.ts";
import { VectorScanner } from "../../../../src/engine/sqlite/vectors/vector_scanner.ts";
import { seededRandom } from "../../../support/random.ts";
import { bitset, IDENTITY, nearest, vectorMaker, VectorStore } from "./vector_store.ts";

const MIB = 2 ** 20;

/** A scanner over its own read-only connection, as in the vector thread. */
class Reader implements Disposable {
  readonly #db: DatabaseSync;
  readonly scanner: VectorScanner;

  constructor(store: VectorStore, maxBytes = 64 * MIB, identity: EmbeddingIdentity = IDENTITY) {
    this.#db = openForReading(store.dir);
    this.scanner = new VectorScanner(this.#db, identity, maxBytes);
  }

  /** Returns the ids of the nearest chunks. */
  find(query: Float32Array, top = 10): number[] {
    return [...this.scanner.search({ query, top }).ids];
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

/** Returns the unit vector along a dimension. */
const axis = (at: number, dimensions = 3) => new Float32Array(dimensions).fill(1, at, at + 1);

for (const dimensions of [1, 3, 16, 384, 1000]) {
  Deno.test(`results match a full scan, with all, some or no vectors in memory: ${dimensions} dimensions`, async () => {
    await using store = await VectorStore.open();
    const { int, pick } = seededRandom(dimensions);
    const next = vectorMaker(dimensions, dimensions);
    const set = store.addSet({ dimensions });
    const other = store.addSet({ dimensions, model: "another-model" });
    const kept = new Map<number, Float32Array>();
    // All vectors in memory, some, none.
    const limits = [64 * MIB, 131_072 + 300 * (dimensions + 100), 0];
    const readers = limits.map((limit) => new Reader(store, limit));
    let chunk = 0;
    for (let round = 0; round < 7; round++) {
      const written = new Map<number, Float32Array | null>();
      for (let i = 0; i < 150; i++) {
        const known = [...kept.values()];
        // New vectors, copies with equal scores, replacements, and texts that the model refused.
        const vector = known.length > 0 && int(4) === 0 ? pick(known) : next();
        const id = kept.size > 0 && int(5) === 0 ? pick([...kept.keys()]) : ++chunk;
        written.set(id, int(20) === 0 ? null : vector);
      }
      store.put(set, written);
      store.put(other, [[chunk, next()]]);
      for (const [id, vector] of written) {
        if (vector) kept.set(id, vector);
        else kept.delete(id);
      }
      const removed = new Set(Array.from({ length: int(60) }, () => 1 + int(chunk)));
      store.remove(removed);
      for (const id of removed) kept.delete(id);
      for (const top of [1, 10, 200, 5000]) {
        const query = next();
        const share = 1 + int(30);
        const ids = [...kept.keys()].filter(() => int(share) === 0);
        for (const allowed of [undefined, bitset(ids, chunk / 16)]) {
          const isAllowed = (id: number) => !allowed || (id >> 3 < allowed.length && ids.includes(id));
          const expected = nearest(kept, query, top, isAllowed);
          for (const [i, { scanner }] of readers.entries()) {
            const { ids, scores, passing, embedded } = scanner.search({
              query,
              top,
              ...(allowed && { allowed }),
            });
            const actual = { ids: [...ids], scores: [...scores], passing };
            assertEquals(actual, expected, `round ${round}, top ${top}, limit ${limits[i]}`);
            assertEquals(embedded, kept.size);
            assert(scanner.memory.bytes <= Math.max(limits[i]!, 65_536));
          }
        }
      }
    }
    assertEquals(readers.map(({ scanner }) => scanner.memory.complete), [true, false, false]);
    for (const reader of readers) reader[Symbol.dispose]();
  });
}

Deno.test("a replaced vector counts once, if the new one does not fit into memory", async () => {
  await using store = await VectorStore.open();
  const set = store.addSet({ dimensions: 3 });
  const next = vectorMaker(1, 3);
  using reader = new Reader(store, 140_000);
  store.put(set, Array.from({ length: 400 }, (_, i) => [i + 1, next()]));
  reader.scanner.refresh();
  assertEquals(reader.scanner.memory.complete, false);
  store.put(set, [[1, axis(0)]]);
  const { ids, embedded } = reader.scanner.search({ query: axis(0), top: 400 });
  assertEquals([ids.length, ids[0], embedded], [400, 1, 400]);
});

Deno.test("the spread is measured on vectors of the whole set, again when their number has doubled", async () => {
  await using store = await VectorStore.open();
  using reader = new Reader(store);
  const set = store.addSet({ dimensions: 3 });
  const spread = () => reader.scanner.search({ query: axis(0), top: 1 }).spread;
  const put = (from: number, count: number, dimension: number) =>
    store.put(set, Array.from({ length: count }, (_, n) => [from + n, axis(dimension)]));
  put(1, 15, 0);
  assertEquals(spread(), undefined);
  put(16, 85, 0);
  assertEquals(spread(), 0, "equal vectors");
  put(101, 99, 1);
  assertEquals(spread(), 0, "less than twice as many");
  put(200, 1, 1);
  assert(Math.abs((spread() ?? 0) - 0.5) < 0.01);
});

Deno.test("the spread does not depend on the order in which the vectors were stored", async () => {
  const next = vectorMaker(1, 3);
  const vectors = Array.from({ length: 400 }, (_, n): [number, Float32Array<ArrayBuffer>] => [n + 1, next()]);
  const spreads: unknown[] = [];
  for (const ordered of [vectors, vectors.toReversed()]) {
    await using store = await VectorStore.open();
    using reader = new Reader(store);
    store.put(store.addSet({ dimensions: 3 }), ordered);
    spreads.push(reader.scanner.search({ query: axis(0), top: 1 }).spread);
  }
  assert(typeof spreads[0] === "number");
  assertEquals(spreads[0], spreads[1]);
});

Deno.test("the newest serving set of the identity is searched, also one completed later", async () => {
  await using store = await VectorStore.open();
  using reader = new Reader(store);
  assertEquals(reader.find(axis(0)), []);
  const first = store.addSet();
  assertEquals(reader.find(axis(0)), [], "a set without dimensions has no vectors");
  store.db.exec(`UPDATE embedding_sets SET dimensions = 3 WHERE id = ${first}`);
  store.put(first, [[1, axis(0)]]);
  assertEquals(reader.find(axis(0)), [1]);
  const second = store.addSet({ dimensions: 3, status: "building" });
  store.put(second, [[2, axis(0)], [1, axis(1)]]);
  store.put(store.addSet({ dimensions: 3, model: "another-model" }), [[3, axis(0)]]);
  store.put(store.addSet({ dimensions: 3, documentPrefix: "" }), [[3, axis(0)]]);
  assertEquals(reader.find(axis(0)), [1]);
  store.db.exec(`UPDATE embedding_sets SET status = 'serving' WHERE id = ${second}`);
  assertEquals(reader.find(axis(0)), [2, 1]);
  const third = store.addSet({ dimensions: 5 });
  store.put(third, [[2, axis(4, 5)]]);
  assertEquals(reader.find(axis(4, 5)), [2]);
});

Deno.test("requested dimensions are part of the identity", async () => {
  await using store = await VectorStore.open();
  const three = store.addSet({ dimensions: 3 });
  store.put(three, [[1, axis(0)]]);
  store.put(store.addSet({ dimensions: 5 }), [[2, axis(0, 5)]]);
  using reader = new Reader(store, MIB, { ...IDENTITY, dimensions: 3 });
  assertEquals(reader.find(axis(0)), [1]);
});

Deno.test("chunks deleted before the deletion log was pruned are not found", async () => {
  await using store = await VectorStore.open();
  const set = store.addSet({ dimensions: 3 });
  store.put(set, [[1, axis(0)], [2, axis(0)], [3, axis(0)], [4, axis(0)]]);
  using reader = new Reader(store);
  store.remove([4]);
  assertEquals(reader.find(axis(0)), [1, 2, 3]);
  store.remove([2]);
  store.remove([3]);
  store.db.exec("DELETE FROM removed_chunks WHERE chunk_id <> 3");
  assertEquals(reader.scanner.search({ query: axis(0), top: 10 }).embedded, 1);
  store.remove([1]);
  store.db.exec("DELETE FROM removed_chunks");
  assertEquals(reader.scanner.search({ query: axis(0), top: 10 }).embedded, 0);
});

Deno.test("memory freed by removals is filled with vectors that were on disk", async () => {
  await using store = await VectorStore.open();
  const set = store.addSet({ dimensions: 3 });
  const next = vectorMaker(1, 3);
  store.put(set, Array.from({ length: 300 }, (_, i) => [i + 1, next()]));
  using reader = new Reader(store, 140_000);
  reader.scanner.refresh();
  const { vectors } = reader.scanner.memory;
  assert(vectors < 300);
  store.remove(Array.from({ length: 300 - vectors }, (_, i) => i + 1));
  reader.scanner.refresh();
  assertEquals(reader.scanner.memory, { ...reader.scanner.memory, vectors, complete: true });
});

Deno.test("results are exact even if hundreds of quantized scores are nearly equal", async () => {
  await using store = await VectorStore.open();
  const set = store.addSet({ dimensions: 16 });
  const { int } = seededRandom(3);
  const kept = new Map<number, Float32Array>();
  for (let id = 1; id <= 900; id++) {
    kept.set(id, Float32Array.from({ length: 16 }, (_, i) => 0.25 + (i + int(1000)) * 1e-6));
  }
  store.put(set, kept);
  using reader = new Reader(store);
  const query = new Float32Array(16).fill(0.25);
  assertEquals(reader.find(query, 10), nearest(kept, query, 10).ids);
});

Deno.test("a query of other dimensions is rejected with both numbers", async () => {
  await using store = await VectorStore.open();
  store.addSet({ dimensions: 3 });
  using reader = new Reader(store);
  assertThrows(
    () => reader.find(axis(0, 4)),
    RangeError,
    "The query vector must have 3 dimensions, like the stored vectors, got 4",
  );
});
