import type { EmbeddingIdentity } from "../../../../src/embeddings/mod.ts";
import { assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import type { EmbeddingOptions } from "../../../../src/embeddings/mod.ts";
import { reindexCommand } from "../../../../src/embeddings/mod.ts";
import { DataDirError } from "../../../../src/engine/sqlite/store/data_dir.ts";
import {
  claimBuildingSet,
  claimEmbeddingSet,
  removeOlderSets,
  serveIfComplete,
} from "../../../../src/engine/sqlite/store/embedding_sets.ts";
import { storeVectors } from "../../../../src/engine/sqlite/store/vectors.ts";
import { TestEmbedder } from "../../../support/test_embedder.ts";
import { TestStore } from "./test_store.ts";
import { addNotes, embedded, embeddingOptions, query, startWriter, tempDir } from "../backfill/support.ts";

const A: EmbeddingIdentity = { model: "A", documentPrefix: "", dimensions: undefined };
const CLAIM = { command: "kb-mcp reindex", now: "2026-01-01T00:00:00.000Z" };

/** Opens a store with one note, and its vector in a set of model A. */
async function storeWithVector() {
  const store = await TestStore.open();
  store.addNote("one");
  storeVectors(store.db, claimEmbeddingSet(store.db, A, CLAIM), [{
    chunkId: 1,
    vector: Float32Array.of(1, 0),
  }]);
  return store;
}

function sets(store: TestStore): Record<string, unknown>[] {
  return store.db.prepare("SELECT id, model, dimensions, status FROM embedding_sets").all();
}

Deno.test("the first engine with embeddings creates a set, and the next one continues it", async () => {
  await using store = await storeWithVector();
  assertEquals(claimEmbeddingSet(store.db, A, CLAIM), 1);
  assertEquals(claimEmbeddingSet(store.db, { ...A, dimensions: 2 }, CLAIM), 1);
  assertEquals(sets(store), [{ id: 1, model: "A", dimensions: 2, status: "serving" }]);
});

const CHANGES: [setting: string, change: Partial<EmbeddingIdentity>, message: string][] = [
  ["model", { model: "B" }, 'KB_EMBEDDINGS_MODEL "A", which is "B" now'],
  ["prefix", { documentPrefix: "passage: " }, 'KB_EMBEDDINGS_DOCUMENT_PREFIX "", which is "passage: " now'],
  ["dimension", { dimensions: 3 }, "KB_EMBEDDINGS_DIMENSIONS 2, which is 3 now"],
];
for (const [setting, change, message] of CHANGES) {
  Deno.test(`a change of ${setting} is rejected with the previous value`, async () => {
    await using store = await storeWithVector();
    const error = assertThrows(
      () => claimEmbeddingSet(store.db, { ...A, ...change }, CLAIM),
      DataDirError,
      message,
    );
    assertStringIncludes(error.message, "kb-mcp reindex");
    assertEquals(sets(store).length, 1);
  });
}

Deno.test("a set without vectors takes the new model", async () => {
  await using store = await TestStore.open();
  claimEmbeddingSet(store.db, A, CLAIM);
  assertEquals(claimEmbeddingSet(store.db, { ...A, model: "B", dimensions: 8 }, CLAIM), 1);
  assertEquals(sets(store), [{ id: 1, model: "B", dimensions: 8, status: "serving" }]);
});

Deno.test("an incomplete set is continued by its model only, and serves when it is complete", async () => {
  await using store = await storeWithVector();
  const B = { ...A, model: "B" };
  const { id } = claimBuildingSet(store.db, B, CLAIM.now);
  assertEquals([id, claimBuildingSet(store.db, B, CLAIM.now).id], [2, 2]);
  assertEquals(claimBuildingSet(store.db, { ...A, model: "C" }, CLAIM.now).id, 3);
  assertEquals(serveIfComplete(store.db, 2), false);
  assertEquals(claimEmbeddingSet(store.db, A, CLAIM), 1);
  storeVectors(store.db, 2, [{ chunkId: 1, vector: null }]);
  assertEquals(serveIfComplete(store.db, 2), true);
  assertEquals(claimEmbeddingSet(store.db, B, CLAIM), 2);
  assertThrows(() => claimEmbeddingSet(store.db, A, CLAIM), DataDirError);
  assertEquals(claimBuildingSet(store.db, A, CLAIM.now).id, 4);
});

Deno.test("an incomplete set older than the serving one is not continued", async () => {
  await using store = await storeWithVector();
  const old = claimBuildingSet(store.db, { ...A, model: "B" }, CLAIM.now).id;
  const newer = claimBuildingSet(store.db, { ...A, model: "C" }, CLAIM.now).id;
  storeVectors(store.db, newer, [{ chunkId: 1, vector: Float32Array.of(1) }]);
  serveIfComplete(store.db, newer);
  assertEquals(claimBuildingSet(store.db, { ...A, model: "B" }, CLAIM.now).id === old, false);
});

Deno.test("older sets are removed in steps, newer ones stay", async () => {
  await using store = await TestStore.open();
  for (let i = 0; i < 5; i++) store.addNote(`note ${i}`);
  const vectors = [1, 2, 3, 4, 5].map((chunkId) => ({ chunkId, vector: Float32Array.of(1) }));
  storeVectors(store.db, claimEmbeddingSet(store.db, A, CLAIM), vectors);
  storeVectors(store.db, claimBuildingSet(store.db, A, CLAIM.now).id, vectors);
  assertEquals(removeOlderSets(store.db, 1, 2), false);
  assertEquals([2, 2, 2].map((max) => removeOlderSets(store.db, 2, max)), [true, true, false]);
  assertEquals(store.db.prepare("SELECT DISTINCT set_id FROM chunk_vectors").all(), [{ set_id: 2 }]);
  assertEquals(sets(store).map(({ id }) => id), [2]);
  assertEquals(removeOlderSets(store.db, 2, 2), false);
});

Deno.test("a writer with another model is rejected with the exact command, and the directory is unlocked", async () => {
  await using dir = await tempDir();
  await using server = TestEmbedder.start();
  const options = embeddingOptions(server.url);
  {
    await using writer = await startWriter(dir.path, options);
    await addNotes(writer, ["one"]);
    await embedded(dir.path, 1);
  }
  const changed = { ...options, model: "other model", apiKey: "sk-secret" };
  const error = await assertRejects(() => startWriter(dir.path, changed), DataDirError);
  assertStringIncludes(
    error.message,
    `KB_DATA_DIR=${dir.path} KB_EMBEDDINGS_URL=${server.url} KB_EMBEDDINGS_MODEL='other model' kb-mcp reindex\n`,
  );
  assertEquals(error.message.includes("sk-secret"), false);
  await (await startWriter(dir.path, undefined)).close();
  await using writer = await startWriter(dir.path, options);
  assertEquals([writer.embeddingSet, query(dir.path, "SELECT chunk_id FROM chunk_vectors").length], [1, 1]);
});

Deno.test("the command is quoted for the shell, and includes every setting of the vectors", () => {
  const options: EmbeddingOptions = {
    ...embeddingOptions("http://h:1/v1"),
    model: "it's",
    documentPrefix: "passage: ",
    dimensions: 256,
    apiKey: "sk-secret",
  };
  assertEquals(
    reindexCommand("/my data", options),
    "KB_DATA_DIR='/my data' KB_EMBEDDINGS_URL=http://h:1/v1 KB_EMBEDDINGS_MODEL='it'\\''s' " +
      "KB_EMBEDDINGS_DIMENSIONS=256 KB_EMBEDDINGS_DOCUMENT_PREFIX='passage: ' kb-mcp reindex",
  );
});
