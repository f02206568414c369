import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { DataDirError } from "../../src/engine/mod.ts";
import { createLogger } from "../../src/telemetry/mod.ts";
import { EmbeddedEngine } from "../support/embedded_engine.ts";
import { TestEmbedder } from "../support/test_embedder.ts";
import { TestModel } from "../support/test_model.ts";
import { embeddingOptions, until } from "./sqlite/backfill/support.ts";

async function vectors(engine: EmbeddedEngine) {
  return (await engine.call("status")).body.vectors;
}

/** Waits until every chunk has a vector. Returns the vectors of the status. */
async function complete(engine: EmbeddedEngine) {
  await until(async () => {
    const { embedded, total } = await vectors(engine);
    return embedded === total;
  }, "every chunk has a vector");
  return await vectors(engine);
}

async function search(engine: EmbeddedEngine, query: string) {
  return (await engine.call("search", { body: { query } })).body;
}

Deno.test("an engine with a model in this process searches by meaning too", async () => {
  await using model = await TestModel.create();
  await using engine = await EmbeddedEngine.open(model.engineOptions);
  const { document_id } = await engine.ingest({ text: "The heron is a bird at the water." });
  await engine.ingest({ text: "The meeting is about tea and coffee." });
  const { memory_bytes: _, ...counts } = await complete(engine);
  assertEquals(counts, { dimensions: 64, embedded: 2, refused: 0, total: 2, error: null });
  const { mode, results, warning } = await search(engine, "heron");
  assertEquals([mode, results[0].document_id, warning], ["hybrid", document_id, undefined]);
  assertEquals((await engine.call("status")).body.model, "tiny");
});

Deno.test("a search without vectors does not load the model", async () => {
  await using model = await TestModel.create();
  await using engine = await EmbeddedEngine.open(model.engineOptions);
  await model.damage();
  const { mode, results, warning } = await search(engine, "heron");
  assertEquals([mode, results, warning], ["hybrid", [], undefined]);
});

Deno.test("while the model is missing, searches use words and say why; once it is there, meaning too", async () => {
  await using model = await TestModel.create({ isInstalled: false, isExplicit: false });
  const started = Promise.withResolvers<void>();
  const install = Promise.withResolvers<void>();
  model.download = async () => {
    started.resolve();
    await install.promise;
    await model.install();
  };
  await using engine = await EmbeddedEngine.open(model.engineOptions);
  await engine.ingest({ text: "The heron is a bird." });
  await started.promise;
  const body = await search(engine, "heron");
  assertEquals([body.mode, body.results.length, body.vectors], ["fts", 1, { embedded: 0, total: 1 }]);
  assertEquals(body.warning, "Searched full text only: The embedding model tiny is being downloaded");
  assertEquals((await vectors(engine)).error, "The embedding model tiny is being downloaded");
  install.resolve();
  await complete(engine);
  await until(async () => (await vectors(engine)).error === null, "the model is used");
  assertEquals((await search(engine, "heron")).mode, "hybrid");
});

Deno.test("a model that cannot be downloaded is logged once, with the command that helps", async () => {
  const lines: string[] = [];
  const log = createLogger("warn", { write: (line) => lines.push(line) });
  await using model = await TestModel.create({ isInstalled: false });
  await using engine = await EmbeddedEngine.open({ ...model.engineOptions, log });
  await engine.ingest({ text: "The heron is a bird." });
  await until(
    async () => (await vectors(engine)).error.includes("run kb-mcp model install"),
    "it is reported",
  );
  assertMatch(
    (await search(engine, "heron")).warning,
    /^Searched full text only: .*run kb-mcp model install tiny/,
  );
  assertEquals(lines.length, 1, lines.join("\n"));
  assertMatch(lines[0]!, /run kb-mcp model install tiny/);
});

Deno.test("text in characters that the model does not know is found by its words", async () => {
  await using model = await TestModel.create();
  await using engine = await EmbeddedEngine.open(model.engineOptions);
  const { document_id } = await engine.ingest({ text: "数据库迁移失败" });
  await engine.ingest({ text: "ร้านอาหาร" });
  await engine.ingest({ text: "The heron is a bird." });
  await until(async () => (await vectors(engine)).refused === 2, "two texts are rejected");
  const { mode, results, warning } = await search(engine, "数据库");
  assertEquals([mode, results.map((each: { document_id: number }) => each.document_id)], ["fts", [
    document_id,
  ]]);
  assertMatch(warning, /^Searched full text only: .* does not know the characters of the query$/);
  const other = await search(engine, "heron");
  assertEquals([other.mode, other.vectors], ["hybrid", { embedded: 1, total: 1 }]);
});

Deno.test("a damaged model costs only the search by meaning, until it is replaced", async () => {
  await using model = await TestModel.create();
  await using engine = await EmbeddedEngine.open(model.engineOptions);
  await engine.ingest({ text: "The heron is a bird." });
  await complete(engine);
  await engine.close();
  await model.damage();
  await engine.reopen(model.engineOptions);
  const { mode, results, warning } = await search(engine, "heron");
  assertEquals([mode, results.length], ["fts", 1]);
  assertMatch(warning, /tiny cannot be loaded .*damaged.*: run kb-mcp model install tiny/);
  await engine.ingest({ text: "Blue water." });
  await until(async () => (await vectors(engine)).error !== null, "the backfill reports it");
  assertMatch((await vectors(engine)).error, /run kb-mcp model install tiny/);
  await model.install();
  await until(async () => (await vectors(engine)).error === null, "the error is over");
  await complete(engine);
});

Deno.test("a model that was damaged before the first vector is reported by searches, too", async () => {
  await using model = await TestModel.create();
  await using engine = await EmbeddedEngine.open(model.engineOptions);
  await model.damage();
  await engine.ingest({ text: "The heron is a bird." });
  await until(async () => (await vectors(engine)).error !== null, "the backfill reports it");
  const { mode, results, warning } = await search(engine, "heron");
  assertEquals([mode, results.length], ["fts", 1]);
  assertMatch(warning, /^Searched full text only: .*tiny cannot be loaded .*: run kb-mcp model install tiny/);
});

Deno.test("with the default settings, vectors of another model are kept and searches use words", async () => {
  await using server = TestEmbedder.start();
  await using model = await TestModel.create({ isExplicit: false });
  await using engine = await EmbeddedEngine.open({ embeddings: embeddingOptions(server.url) });
  await engine.ingest({ text: "The heron is a bird." });
  await complete(engine);
  await engine.reopen(model.engineOptions);
  const { mode, warning } = await search(engine, "heron");
  assertEquals(mode, "fts");
  assertEquals(
    warning,
    "Searched full text only: the vectors are of another embedding model (test-model). Run kb-mcp reindex",
  );
  assertMatch(
    (await vectors(engine)).error,
    /made with KB_EMBEDDINGS_MODEL "test-model".*KB_EMBEDDINGS_MODEL=tiny kb-mcp reindex/s,
  );
  await engine.ingest({ text: "Blue water." });
  assertEquals((await search(engine, "water")).results.length, 1);
  await engine.reopen({ embeddings: embeddingOptions(server.url) });
  assertEquals((await complete(engine)).embedded, 2);
  assertEquals((await search(engine, "heron")).mode, "hybrid");
});

Deno.test("a configured model is rejected over vectors of another one, also of the same name", async () => {
  await using first = await TestModel.create();
  await using second = await TestModel.create({ seed: 2 });
  await using engine = await EmbeddedEngine.open(first.engineOptions);
  await engine.ingest({ text: "The heron is a bird." });
  await complete(engine);
  const error = await assertRejects(() => engine.reopen(second.engineOptions), DataDirError);
  assertStringIncludes(error.message, "KB_EMBEDDINGS_MODEL=tiny kb-mcp reindex");
  await first.install();
  await engine.reopen(first.engineOptions);
  assertEquals((await vectors(engine)).embedded, 1, "the same file again keeps the vectors");
});

Deno.test("closing during a backfill ends all threads, and the next start resumes", async () => {
  await using model = await TestModel.create();
  await using engine = await EmbeddedEngine.open();
  for (let i = 0; i < 30; i++) await engine.ingest({ text: `Note ${i} about the heron.` });
  await engine.reopen(model.engineOptions);
  await engine.reopen(model.engineOptions);
  assertEquals((await complete(engine)).embedded, 30);
});

Deno.test("a search waits for the vectors of notes that were added just before", async () => {
  await using model = await TestModel.create();
  await using engine = await EmbeddedEngine.open(model.engineOptions);
  await engine.ingest({ text: "A note about the grebe." });
  // Loads the model, which a search does not wait for on a busy machine.
  await complete(engine);
  for (let i = 0; i < 3; i++) await engine.ingest({ text: `Note ${i} about the heron.` });
  const body = await search(engine, "heron");
  assertEquals([body.mode, body.vectors], ["hybrid", { embedded: 4, total: 4 }]);
});
