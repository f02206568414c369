import { assertEquals } from "@std/assert";
import { type EmbeddingModel, identityOf } from "../../../src/embeddings/mod.ts";
import { SemanticSearch } from "../../../src/engine/sqlite/semantic_search.ts";
import { silentLogger } from "../../../src/telemetry/mod.ts";
import { vectorMaker, VectorStore } from "./vectors/vector_store.ts";

const MODEL = {
  type: "builtin",
  model: "builtin",
  isDefault: false,
  mayDownload: false,
  name: "test-model",
  path: "",
  checksum: "0".repeat(64),
  queryPrefix: "",
  documentPrefix: "",
} as const;

Deno.test("a query whose vector takes too long is searched by words, with a warning", async () => {
  await using store = await VectorStore.open();
  const next = vectorMaker(1, 8);
  await using search = new SemanticSearch({
    dataDir: store.dir.path,
    name: MODEL.name,
    problem: () => "",
    vectorMemoryBytes: 0,
    writer: { embeddingState: { error: null } },
    db: store.db,
    spawn: () => {
      throw new Error("The vectors are not searched");
    },
    log: silentLogger,
    queryTimeoutMs: 1,
  });
  const model: Pick<EmbeddingModel, "embedQuery"> = { embedQuery: () => new Promise<never>(() => {}) };
  search.useModel(MODEL, model as EmbeddingModel);
  const { model: identity } = identityOf(MODEL);
  store.put(store.addSet({ dimensions: 8, model: identity, documentPrefix: "" }), [[1, next()]]);
  const request = { limit: 1, allowed: undefined, others: [] };
  assertEquals(await search.embed("heron")(request), {
    warning: "Searched full text only: the embedding model is slow. Try again in a moment",
  });
});
