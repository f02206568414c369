import { assertEquals, assertThrows } from "@std/assert";
import { claimEmbeddingSet } from "../../../../src/engine/sqlite/store/embedding_sets.ts";
import { openForReading } from "../../../../src/engine/sqlite/store/open_for_reading.ts";
import { encodeVector } from "../../../../src/engine/sqlite/store/stored_vector.ts";
import {
  documentVectors,
  embeddableChunks,
  missingVectors,
  storeVectors,
  vectorCounts,
  VectorsRejectedError,
} from "../../../../src/engine/sqlite/store/vectors.ts";
import { draft, TestStore } from "./test_store.ts";

const IDENTITY = { model: "A", documentPrefix: "", dimensions: undefined };
const VECTOR = Float32Array.of(0.6, 0.8);

/** Opens a store with a number of chunks, and an empty set of vectors with id 1. */
async function storeWith(chunks: number): Promise<TestStore> {
  const store = await TestStore.open();
  store.addFile("a", {}, { chunks: Array.from({ length: chunks }, (_, i) => draft(`chunk ${i}`)) });
  claimEmbeddingSet(store.db, IDENTITY, { command: "", now: "2026-01-01T00:00:00.000Z" });
  return store;
}

Deno.test("counts on another connection are current", async () => {
  await using store = await storeWith(3);
  const reader = openForReading(store.dir);
  assertEquals(vectorCounts(reader, 1), { dimensions: null, embedded: 0, refused: 0, total: 3 });
  storeVectors(store.db, 1, [{ chunkId: 1, vector: VECTOR }, { chunkId: 2, vector: null }]);
  assertEquals(vectorCounts(reader, 1), { dimensions: 2, embedded: 1, refused: 1, total: 3 });
  store.write("deleteDocument", 1);
  assertEquals(vectorCounts(reader, 1), { dimensions: 2, embedded: 0, refused: 0, total: 0 });
  reader.close();
});

Deno.test("chunks without a vector are found in ranges of ids", async () => {
  await using store = await storeWith(4500);
  const all = Array.from({ length: 4500 }, (_, i) => ({ chunkId: i + 1, vector: VECTOR }));
  storeVectors(store.db, 1, all.filter(({ chunkId }) => chunkId !== 10 && chunkId !== 4400));
  const missing = (after: number, last?: number) =>
    missingVectors(store.db, 1, last === undefined ? { after } : { after, last });
  assertEquals(missing(0), { notes: [], others: [10], upTo: 2000 });
  assertEquals(missing(2000), { notes: [], others: [], upTo: 4000 });
  assertEquals(missing(4000), { notes: [], others: [4400], upTo: 4500 });
  assertEquals(missing(4000, 4300), { notes: [], others: [], upTo: 4300 });
  assertEquals(missing(4500), { notes: [], others: [], upTo: 4500 });
});

Deno.test("a vector of another length or for a removed set is rejected with its batch", async () => {
  await using store = await storeWith(3);
  storeVectors(store.db, 1, [{ chunkId: 1, vector: VECTOR }]);
  const other = [{ chunkId: 2, vector: null }, { chunkId: 3, vector: Float32Array.of(1) }];
  assertEquals(
    assertThrows(() => storeVectors(store.db, 1, other), VectorsRejectedError, "1 dimensions").code,
    "wrong_dimensions",
  );
  assertEquals(
    assertThrows(() => storeVectors(store.db, 9, other), VectorsRejectedError).code,
    "no_such_set",
  );
  assertEquals(store.count("chunk_vectors"), 1);
});

Deno.test("a chunk keeps its vector, and a deleted one gets none", async () => {
  await using store = await storeWith(2);
  storeVectors(store.db, 1, [{ chunkId: 1, vector: VECTOR }]);
  storeVectors(store.db, 1, [{ chunkId: 1, vector: Float32Array.of(1, 0) }, { chunkId: 77, vector: VECTOR }]);
  const rows = store.db.prepare("SELECT chunk_id, vector FROM chunk_vectors").all();
  assertEquals(rows.length, 1);
  assertEquals(rows[0]!.vector, encodeVector(VECTOR));
});

Deno.test("deleted chunks are not embedded", async () => {
  await using store = await storeWith(2);
  assertEquals(embeddableChunks(store.db, [2, 5]), [
    { id: 2, title: "report.pdf", headings: [], text: "chunk 1" },
  ]);
});

Deno.test("the chunks of a document with a vector are counted, unless there are too many", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote("one").document_id);
  assertEquals(documentVectors(store.db, 1, id), { done: 0, total: 1 });
  store.db.exec(`UPDATE documents SET chunk_count = 20001 WHERE id = ${id}`);
  assertEquals(documentVectors(store.db, 1, id), undefined);
});
