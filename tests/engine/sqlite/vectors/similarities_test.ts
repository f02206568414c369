import { assertEquals } from "@std/assert";
import { similaritiesOf } from "../../../../src/engine/sqlite/vectors/similarities.ts";
import { storedDotProduct } from "../../../../src/engine/sqlite/store/stored_vector.ts";
import { readVectors, scoreVectors } from "../../../../src/engine/sqlite/vectors/score_vectors.ts";
import type { ScoredChunk } from "../../../../src/engine/search/mod.ts";
import { vectorMaker, VectorStore } from "./vector_store.ts";

const DIMENSIONS = 384;

/** Opens a store of vectors, of which every 700th is float32, as older versions stored it. */
async function mixedStore(count: number) {
  const store = await VectorStore.open();
  const setId = store.addSet({ dimensions: DIMENSIONS });
  const next = vectorMaker(1, DIMENSIONS);
  store.put(setId, Array.from({ length: count }, (_, i) => [i + 1, i === 5 ? null : next()]));
  for (let id = 700; id <= count; id += 700) {
    const blob = new Uint8Array(next().buffer);
    store.db.prepare("UPDATE chunk_vectors SET vector = ? WHERE chunk_id = ?").run(blob, id);
  }
  return { store, setId, vector: next() };
}

Deno.test("scores stored vectors of any version, in more than one statement", async () => {
  const { store, setId, vector } = await mixedStore(3000);
  await using _ = store;
  const rows = store.db.prepare("SELECT seq, chunk_id, vector FROM chunk_vectors WHERE length(vector) > 0")
    .all();
  const expected = rows.map((row) => [
    row["chunk_id"],
    storedDotProduct(vector, row["vector"] as Uint8Array<ArrayBuffer>),
  ]);
  const scores = (wanted: Parameters<typeof scoreVectors>[2]) => {
    const scored: [number, number][] = [];
    scoreVectors(store.db, vector, wanted, (id, score) => scored.push([id, score]));
    return scored.sort(([a], [b]) => a - b);
  };
  assertEquals(expected.length, 2999);
  const chunks = Array.from({ length: 3000 }, (_, i) => i + 1);
  assertEquals(scores({ chunks, setId }), expected);
  assertEquals(scores({ seqs: Uint32Array.from(rows, ({ seq }) => Number(seq)) }), expected);
  assertEquals(scores({ chunks, setId: setId + 1 }), []);
});

Deno.test("the similarity of chunks is that of their vectors, without hits and chunks that have none", async () => {
  const { store, setId, vector } = await mixedStore(10);
  await using _ = store;
  const query = { vector, setId };
  const similarities = similaritiesOf(store.db, [3, 6, 8, 99], query, [{ id: 8, score: 1 }]);
  const { vector: stored } = store.db.prepare("SELECT vector FROM chunk_vectors WHERE chunk_id = 3").get()!;
  const score = Math.fround(storedDotProduct(vector, stored as Uint8Array<ArrayBuffer>));
  assertEquals(similarities, [{ id: 3, score }]);
  assertEquals(similaritiesOf(store.db, [3], undefined, []), []);
});

Deno.test("vectors that were read before the query give the same similarities", async () => {
  const { store, setId, vector } = await mixedStore(800);
  await using _ = store;
  const query = { vector, setId };
  const hits = [{ id: 8, score: 1 }];
  const chunks = [700, 3, 6, 8, 99, 9000];
  const byId = (similarities: readonly ScoredChunk[]) => similarities.toSorted((a, b) => a.id - b.id);
  const expected = byId(similaritiesOf(store.db, chunks, query, hits));
  assertEquals(expected.map(({ id }) => id), [3, 99, 700]);
  const set = { setId, dimensions: DIMENSIONS };
  const read = readVectors(store.db, chunks, set);
  assertEquals(read.chunks.toSorted((a, b) => a - b), [3, 8, 99]);
  // Those of another set or of other dimensions, and those of some chunks only.
  const others = [
    { ...read, setId: setId + 1, vectors: read.vectors.slice().fill(1) },
    { ...read, dimensions: DIMENSIONS - 1, vectors: read.vectors.slice().fill(1) },
    readVectors(store.db, [99], set),
    readVectors(store.db, [], set),
  ];
  for (const each of [read, ...others]) {
    assertEquals(byId(similaritiesOf(store.db, chunks, query, hits, each)), expected);
  }
  // They are not read again.
  store.db.exec("DELETE FROM chunk_vectors WHERE chunk_id IN (3, 99)");
  assertEquals(byId(similaritiesOf(store.db, chunks, query, hits, read)), expected);
});
