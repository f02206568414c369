import { assertEquals } from "@std/assert";
import { similaritiesOf } from "../../../../src/engine/sqlite/vectors/similarities.ts";
import { storedDotProduct } from "../../../../src/engine/sqlite/store/stored_vector.ts";
import { scoreVectors } from "../../../../src/engine/sqlite/vectors/score_vectors.ts";
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
