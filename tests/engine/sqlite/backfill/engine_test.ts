import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { DataDirError } from "../../../../src/engine/mod.ts";
import { EmbeddedEngine } from "../../../support/embedded_engine.ts";
import { errorResponse, TestEmbedder } from "../../../support/test_embedder.ts";
import { embeddingOptions, until } from "./support.ts";

/** Waits until every chunk has a vector or was rejected. Returns the vectors of the status. */
async function complete(engine: EmbeddedEngine) {
  const vectors = async () => (await engine.call("status")).body.vectors;
  await until(async () => {
    const { embedded, refused, total } = await vectors();
    return embedded + refused === total;
  }, "every chunk has its vector");
  return await vectors();
}

Deno.test("a paraphrased question finds a document by meaning, and status reports the vectors", async () => {
  await using server = TestEmbedder.start();
  await using engine = await EmbeddedEngine.open({ embeddings: embeddingOptions(server.url) });
  const { document_id } = await engine.ingest({ text: "My automobile needs new tyres" });
  await engine.ingest({ text: "The garden is full of weeds" });
  const { memory_bytes, ...counts } = await complete(engine);
  assertEquals(counts, { dimensions: 64, embedded: 2, refused: 0, total: 2, error: null });
  assertEquals(memory_bytes, 0, "vectors are loaded by the first search");
  assertEquals((await engine.call("search", { body: { query: "vehicle", mode: "fts" } })).body.results, []);
  const { body } = await engine.call("search", { body: { query: "vehicle" } });
  assertEquals([body.mode, body.results[0].document_id, body.vectors], [
    "hybrid",
    document_id,
    { embedded: 2, total: 2 },
  ]);
});

Deno.test("while the model fails, search is full text only, and the response says why", async () => {
  await using server = TestEmbedder.start({ respond: () => errorResponse(503) });
  await using engine = await EmbeddedEngine.open({ embeddings: embeddingOptions(server.url) });
  await engine.ingest({ text: "My automobile needs new tyres" });
  const { status, body } = await engine.call("search", { body: { query: "tyres" } });
  assertEquals([status, body.mode, body.results.length, body.vectors], [200, "fts", 1, {
    embedded: 0,
    total: 1,
  }]);
  assertMatch(body.warning, /The embedding model is not available \(503\)/);
  delete server.options.respond;
  await complete(engine);
});

Deno.test("an engine without embeddings searches full text, and with them again by meaning too", async () => {
  await using server = TestEmbedder.start();
  await using engine = await EmbeddedEngine.open({ embeddings: embeddingOptions(server.url) });
  await engine.ingest({ text: "one" });
  await complete(engine);
  await engine.close();
  {
    // The first engine removes the directory.
    await engine.reopen();
    await engine.ingest({ text: "two" });
    assertEquals((await engine.call("status")).body.vectors ?? null, null);
    assertEquals((await engine.call("search", { body: { query: "two" } })).body.mode, "fts");
  }
  await engine.reopen({ embeddings: embeddingOptions(server.url) });
  assertEquals((await complete(engine)).embedded, 2);
  const other = { embeddings: embeddingOptions(server.url, { model: "other" }) };
  const error = await assertRejects(() => engine.reopen(other), DataDirError);
  assertStringIncludes(error.message, "KB_EMBEDDINGS_MODEL=other kb-mcp reindex");
});
