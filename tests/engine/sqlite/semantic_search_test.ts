import { assert, assertEquals } from "@std/assert";
import type { ThreadPort } from "../../../src/async/mod.ts";
import { type EmbeddingModel, identityOf } from "../../../src/embeddings/mod.ts";
import { SemanticSearch } from "../../../src/engine/sqlite/semantic_search.ts";
import { vectorThread } from "../../../src/engine/worker.ts";
import { silentLogger } from "../../../src/telemetry/mod.ts";
import { heldThread } from "../../support/held_thread.ts";
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

Deno.test("the time for a ranking by vectors begins when they are loaded", async () => {
  await using store = await VectorStore.open();
  const vector = vectorMaker(1, 8)();
  const { vectors } = vectorThread();
  const start = (queryTimeoutMs: number, spawn: () => ThreadPort) => {
    const search = new SemanticSearch({
      dataDir: store.dir.path,
      name: MODEL.name,
      problem: () => "",
      vectorMemoryBytes: 2 ** 20,
      writer: { embeddingState: { error: null } },
      db: store.db,
      spawn,
      log: silentLogger,
      queryTimeoutMs,
      vectorTimeoutMs: 0,
    });
    const model: Pick<EmbeddingModel, "embedQuery"> = { embedQuery: () => Promise.resolve(vector) };
    search.useModel(MODEL, model as EmbeddingModel);
    return search;
  };
  const { model: identity } = identityOf(MODEL);
  store.put(store.addSet({ dimensions: 8, model: identity, documentPrefix: "" }), [[1, vector]]);
  const loading = "Searched full text only: The vectors are being loaded: try again in a moment";
  const rank = async (search: SemanticSearch) => {
    const ranking = await search.embed("heron")({ limit: 1, allowed: undefined, others: [] });
    return "warning" in ranking ? ranking.warning : undefined;
  };
  await using search = start(60_000, vectors);
  assert(await rank(search) !== loading);
  // The time for the vector of the query is over: the full-text results would be late.
  const held = heldThread(vectors);
  await using late = start(0, held.spawn);
  assertEquals(await rank(late), loading);
  held.letStart();
});
