import { assert, assertEquals } from "@std/assert";
import { encodeVector } from "../../../../src/engine/sqlite/store/stored_vector.ts";
import {
  conversionStep,
  hasVectorsToConvert,
} from "../../../../src/engine/sqlite/store/vector_conversion.ts";
import { vectorMaker, VectorStore } from "../vectors/vector_store.ts";

const DIMENSIONS = 64;

/** Stores vectors as an older version did. */
function storeFloat32(store: VectorStore, set: number, vectors: readonly Float32Array<ArrayBuffer>[]): void {
  store.put(set, vectors.map((vector, i) => [i + 1, vector]));
  const update = store.db.prepare("UPDATE chunk_vectors SET vector = ? WHERE chunk_id = ? AND set_id = ?");
  for (const [i, vector] of vectors.entries()) update.run(new Uint8Array(vector.buffer), i + 1, set);
  store.db.exec(
    `UPDATE embedding_sets SET float32_seq = (SELECT max(seq) FROM chunk_vectors WHERE set_id = ${set}) WHERE id = ${set}`,
  );
}

const rowsOf = (store: VectorStore) =>
  store.db.prepare("SELECT seq, chunk_id, set_id, vector FROM chunk_vectors ORDER BY seq").all();

Deno.test("vectors of older versions are converted in steps, in place", async () => {
  await using store = await VectorStore.open();
  const next = vectorMaker(1, DIMENSIONS);
  const vectors = Array.from({ length: 600 }, () => next());
  const sets = [store.addSet({ dimensions: DIMENSIONS }), store.addSet({ dimensions: DIMENSIONS })];
  for (const set of sets) storeFloat32(store, set, vectors);
  store.put(sets[0]!, [[601, vectors[0]!], [602, null]]);
  const expected = rowsOf(store).map((row) => ({
    ...row,
    vector: row.chunk_id === 602
      ? new Uint8Array()
      : encodeVector(vectors[(Number(row.chunk_id) - 1) % 600]!),
  }));

  let steps = 1;
  while (conversionStep(store.db)) steps++;
  assertEquals(rowsOf(store), expected);
  assert(steps > 3, "one step would block writes for long");
  assertEquals(hasVectorsToConvert(store.db), false);
  assertEquals(conversionStep(store.db), false);
});

Deno.test("a step that fails changes nothing", async () => {
  await using store = await VectorStore.open();
  const next = vectorMaker(1, DIMENSIONS);
  storeFloat32(store, store.addSet({ dimensions: DIMENSIONS }), Array.from({ length: 300 }, () => next()));
  const before = rowsOf(store);
  store.db.exec(
    "CREATE TRIGGER fail BEFORE UPDATE ON embedding_sets BEGIN SELECT RAISE(ABORT, 'disk is full'); END",
  );
  let failure: unknown;
  try {
    conversionStep(store.db);
  } catch (error) {
    failure = error;
  }
  assert(failure instanceof Error);
  assertEquals(rowsOf(store), before);
  store.db.exec("DROP TRIGGER fail");
  while (conversionStep(store.db));
  assert(rowsOf(store).every(({ vector }) => (vector as Uint8Array).length === 84));
});
