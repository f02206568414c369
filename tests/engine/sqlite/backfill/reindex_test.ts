import { assert, assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { EmbeddingError, type EmbeddingOptions } from "../../../../src/embeddings/mod.ts";
import { reindex, type ReindexOptions } from "../../../../src/engine/mod.ts";
import { dataDirAt, DataDirError, lockDataDir } from "../../../../src/engine/sqlite/store/data_dir.ts";

import { MIGRATIONS } from "../../../../src/engine/sqlite/store/migrations.ts";
import { createDatabase } from "../../../../src/engine/sqlite/store/open.ts";
import { TestEmbedder, type TestEmbedderOptions } from "../../../support/test_embedder.ts";
import {
  addNotes,
  countsOf,
  embedded,
  embeddingOptions,
  notes,
  query,
  startWriter,
  tempDir,
  until,
} from "./support.ts";

/** Creates a data directory with notes that model A has embedded, and starts models A and B. */
async function openModels(count: number, options: TestEmbedderOptions = {}) {
  await using undo = new AsyncDisposableStack();
  const dir = undo.use(await tempDir());
  const a = undo.use(TestEmbedder.start({ model: "A" }));
  const b = undo.use(TestEmbedder.start({ model: "B", dimensions: 32, ...options }));
  const withA = embeddingOptions(a.url, { model: "A" });
  const withB = embeddingOptions(b.url, { model: "B" });
  {
    await using writer = await startWriter(dir.path, withA);
    await addNotes(writer, notes(count));
    await embedded(dir.path, 1);
  }
  const parts = undo.move();
  return { dir, a, b, withA, withB, [Symbol.asyncDispose]: () => parts.disposeAsync() };
}

function run(dataDir: string, embeddings: EmbeddingOptions, options: Partial<ReindexOptions> = {}) {
  return reindex({ dataDir, embeddings, signal: new AbortController().signal, ...options });
}

function sets(dataDir: string): unknown[] {
  return query(dataDir, "SELECT id, model, dimensions, status FROM embedding_sets ORDER BY id");
}

const SET_A = { id: 1, model: "A", dimensions: 64, status: "serving" };
const SET_B = { id: 2, model: "B", dimensions: 32, status: "serving" };

Deno.test("reindex embeds every chunk, and an engine with the new model removes the old vectors", async () => {
  await using test = await openModels(30);
  const progress: number[] = [];
  const onProgress = ({ embedded }: { embedded: number }) => progress.push(embedded);
  const result = await run(test.dir.path, test.withB, { onProgress });
  assertEquals(result, { dimensions: 32, embedded: 30, refused: 0, total: 30, isDone: true, model: "B" });
  assertEquals([progress[0], progress.at(-1)], [0, 30]);
  assertEquals(sets(test.dir.path), [SET_A, SET_B]);
  await assertRejects(() => startWriter(test.dir.path, test.withA), DataDirError, 'KB_EMBEDDINGS_MODEL "B"');
  await using writer = await startWriter(test.dir.path, test.withB);
  assertEquals(writer.embeddingSet, 2);
  await until(() => sets(test.dir.path).length === 1, "the old set is removed");
  assertEquals(query(test.dir.path, "SELECT DISTINCT set_id FROM chunk_vectors"), [{ set_id: 2 }]);
});

Deno.test("documents added to a running engine during a reindex are embedded in both sets", async () => {
  await using test = await openModels(30);
  await using engine = await startWriter(test.dir.path, test.withA);
  let wrote: Promise<void> | undefined;
  test.b.options.respond = async () => {
    await (wrote ??= addNotes(engine, notes(20, 30)));
    return undefined;
  };
  assertEquals((await run(test.dir.path, test.withB)).embedded, 50);
  assertEquals((await embedded(test.dir.path, 1)).embedded, 50);
  await addNotes(engine, notes(1, 50));
  assertEquals((await embedded(test.dir.path, 1)).embedded, 51);
  assertEquals(countsOf(test.dir.path, 2).embedded, 50);
  await engine.close();
  await using next = await startWriter(test.dir.path, test.withB);
  assertEquals((await embedded(test.dir.path, next.embeddingSet!)).embedded, 51);
});

Deno.test("a stopped reindex resumes where it was, and its set is not served until complete", async () => {
  await using test = await openModels(40);
  const stop = new AbortController();
  test.b.options.respond = () => {
    if (test.b.requests.length === 4) stop.abort();
    return undefined;
  };
  const first = await run(test.dir.path, test.withB, { signal: stop.signal });
  assertEquals([first.isDone, first.total], [false, 40]);
  assert(first.embedded > 0 && first.embedded < 40);
  assertEquals(sets(test.dir.path), [SET_A, { ...SET_B, status: "building" }]);
  await (await startWriter(test.dir.path, test.withA)).close();
  delete test.b.options.respond;
  test.b.requests.length = 0;
  const second = await run(test.dir.path, test.withB);
  assertEquals([second.isDone, second.embedded], [true, 40]);
  // One more text checks that the model is available.
  assertEquals(test.b.inputs.length, 40 - first.embedded + 1);
});

Deno.test("reindexing with the same model makes a new set, to which a running engine switches and removes the old one", async () => {
  await using test = await openModels(3);
  await using running = await startWriter(test.dir.path, test.withA);
  assertEquals((await run(test.dir.path, test.withA)).embedded, 3);
  await addNotes(running, notes(2, 3));
  assertEquals((await embedded(test.dir.path, 2)).embedded, 5);
  await until(() => sets(test.dir.path).length === 1, "the running engine removes the old set");
  assertEquals(query(test.dir.path, "SELECT DISTINCT set_id FROM chunk_vectors"), [{ set_id: 2 }]);
  await running.close();
  await using next = await startWriter(test.dir.path, test.withA);
  assertEquals(next.embeddingSet, 2);
});

Deno.test("an unavailable model is retried, a wrong one is not", async () => {
  await using test = await openModels(10);
  const problems: (string | null)[] = [];
  let failures = 0;
  test.b.options.respond = (texts) =>
    texts.length > 1 && failures++ === 0 ? new Response(null, { status: 503 }) : undefined;
  await run(test.dir.path, test.withB, { onProblem: (problem) => problems.push(problem) });
  assertEquals(problems, ["The embedding model is not available (503)", null]);
  const wrong = { ...test.withB, model: "C" };
  const error = await assertRejects(() => run(test.dir.path, wrong), EmbeddingError, "model C not found");
  assertEquals(error.code, "misconfigured");
  assertEquals(sets(test.dir.path).length, 2);
});

Deno.test("a key revoked during a reindex ends it, and it can be resumed", async () => {
  await using test = await openModels(30);
  test.b.options.respond = () =>
    test.b.requests.length === 5 ? new Response(null, { status: 401 }) : undefined;
  assertEquals(
    (await assertRejects(() => run(test.dir.path, test.withB), EmbeddingError)).code,
    "unauthorized",
  );
  assert(countsOf(test.dir.path, 2).embedded > 0);
  assertEquals((await run(test.dir.path, test.withB)).isDone, true);
});

Deno.test("chunks deleted during a reindex do not keep it from completing", async () => {
  await using test = await openModels(20);
  await using engine = await startWriter(test.dir.path, test.withA);
  let deleted: Promise<unknown> | undefined;
  test.b.options.respond = async () => {
    await (deleted ??= Promise.all([1, 12, 20].map((id) => engine.call("deleteDocument", id))));
    return undefined;
  };
  const { isDone, embedded, total } = await run(test.dir.path, test.withB);
  assertEquals([isDone, embedded, total], [true, 17, 17]);
});

Deno.test("a directory without data and a second reindex are rejected, and a store without chunks is complete at once", async () => {
  await using dir = await tempDir();
  await using server = TestEmbedder.start();
  const options = embeddingOptions(server.url);
  await assertRejects(() => run(dir.path, options), DataDirError, "has no data yet");
  await (await startWriter(dir.path, undefined)).close();
  assertEquals((await run(dir.path, options)).isDone, true);
  const open = Promise.withResolvers<undefined>();
  server.options.respond = () => open.promise;
  const first = run(dir.path, options);
  await until(() => server.requests.length === 2, "it is at work");
  await assertRejects(() => run(dir.path, options), DataDirError, "is being reindexed by another process");
  open.resolve(undefined);
  assertEquals((await first).isDone, true);
});

Deno.test("an older database is migrated, but not while an engine uses it", async () => {
  await using dir = await tempDir();
  await using b = TestEmbedder.start({ model: "B" });
  const withB = embeddingOptions(b.url, { model: "B" });
  const { database } = dataDirAt(dir.path);
  const applied = MIGRATIONS.slice(0, -1).map(({ name }) => name);
  createDatabase(dataDirAt(dir.path), applied, () => "2026-01-01T00:00:00.000Z");
  using db = new DatabaseSync(database);
  db.exec("PRAGMA journal_mode = WAL");
  const steps = () => db.prepare("SELECT count(*) AS n FROM schema_migrations").get()?.n;
  {
    using _engine = lockDataDir(dataDirAt(dir.path));
    await assertRejects(() => run(dir.path, withB), DataDirError, "in use by an older kb-mcp: upgrade it");
    assertEquals(steps(), MIGRATIONS.length - 1);
  }
  assertEquals((await run(dir.path, withB)).isDone, true);
  assertEquals(steps(), MIGRATIONS.length);
  lockDataDir(dataDirAt(dir.path))[Symbol.dispose]();
});
