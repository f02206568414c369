import { assert, assertEquals, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { chunksWithPhrase } from "../../../../src/engine/sqlite/index/phrase_texts.ts";
import { createDataDir, DataDirError } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { removeFromIndex } from "../../../../src/engine/sqlite/store/purge.ts";
import { migrate, pendingMigrations } from "../../../../src/engine/sqlite/store/migrate.ts";
import { MIGRATIONS } from "../../../../src/engine/sqlite/store/migrations.ts";
import {
  analysisStep,
  contentStep,
  createDatabase,
  embeddableChunks,
  forgetSymbols,
  inTransaction,
  openForReading,
  openForWriting,
  readableText,
  readSymbols,
  rebuildIndex,
  SYMBOL_TABLES,
  timestamp,
  writeSymbols,
} from "../../../../src/engine/sqlite/store/mod.ts";
import { prose, proseSymbols } from "../text_packing/prose.ts";
import { seededRandom } from "../../../support/random.ts";
import { fileTexts, packedCount, packedStore, startPacking } from "./packed_store.ts";
import { checkIntegrity, draft, sha256, TestStore } from "./test_store.ts";

Deno.test("packed texts are read, searched and removed like others", async () => {
  await using store = await packedStore(4);
  assertEquals([store.count("chunks"), packedCount(store.db)], [13, 12]);
  assertEquals(store.document(2).chunks?.map(({ text }) => text), fileTexts(0));
  assertEquals(store.document(1).chunks?.[0]?.text, "A note of the time before symbols.");
  assertEquals([store.find("mark3x2"), store.find("symbols")], [[5], [1]]);
  store.check();
  store.write("deleteDocument", 5);
  assertEquals([store.find("mark3x2"), packedCount(store.db)], [[], 9]);
  store.check();
});

Deno.test("a connection that opened before the symbols were learned reads packed texts", async () => {
  await using store = await TestStore.open();
  store.addNote("before");
  const reader = openForReading(store.dir);
  assertEquals(embeddableChunks(reader, [1])[0]?.text, "before");
  startPacking(store.db);
  store.addFile("f", {}, { chunks: fileTexts(1).map(draft) });
  assertEquals(embeddableChunks(reader, [2, 3, 4]).map(({ text }) => text), fileTexts(1));
  const phrase = fileTexts(1)[1]!.split(" ").slice(5, 8);
  assertEquals(chunksWithPhrase(reader, phrase, [2, 3, 4]).map(([id]) => id), [3]);
  reader.close();
  // Reads the symbols while SQL calls the function that needs them.
  const other = openForReading(store.dir);
  assertEquals(chunksWithPhrase(other, phrase, [2, 3, 4]).map(([id]) => id), [3]);
  other.close();
});

Deno.test("the text of a packed chunk can be edited, and its versions read and restored", async () => {
  await using store = await packedStore(1);
  const text = prose(seededRandom(1), 200);
  const { document_id } = store.addNote(text);
  assert(packedCount(store.db) > 3);
  const id = Number(document_id);
  store.write("editDocument", id, { append: "and an end of it" });
  const after = store.document(id).chunks?.map((chunk) => chunk.text).join(" ") ?? "";
  assert(after.includes("and an end of it"));
  store.write("restoreDocument", id, { version: 1 });
  assertEquals(store.document(id).chunks?.[0]?.text.startsWith(text.slice(0, 100)), true);
  store.check();
});

Deno.test("long packed texts are kept as revisions, and removed from the index", async () => {
  await using store = await packedStore(0);
  const texts = Array.from({ length: 300 }, (_, n) => `${prose(seededRandom(n), 20)} mark${n}y`);
  const file = { sourcePath: "/long.txt", overwrite: true };
  const { document_id } = store.addFile("long", file, { chunks: texts.map(draft) });
  store.addFile("short", file, { chunks: [draft(prose(seededRandom(1)))] });
  while (contentStep(store.db));
  assertEquals([store.find("mark299y"), store.document(document_id).chunks?.length], [[], 1]);
  store.check();
  store.write("restoreDocument", Number(document_id), { version: 1 });
  assertEquals(store.document(document_id).chunks?.map(({ text }) => text), texts);
  store.check();
});

Deno.test("packed texts are analyzed and indexed again", async () => {
  await using store = await packedStore(3);
  const before = store.document(2);
  store.db.exec("UPDATE documents SET analysis_version = 0");
  while (await analysisStep(store.db));
  assertEquals(store.document(2), before);
  inTransaction(store.db, () => rebuildIndex(store.db));
  store.check();
  assertEquals(store.find("mark2x0"), [4]);
});

Deno.test("texts are packed only when both copies of the symbols are stored", async () => {
  await using store = await TestStore.open();
  const add = (n: number) => store.addFile(`f${n}`, {}, { chunks: fileTexts(n).map(draft) });
  add(0);
  inTransaction(store.db, () => writeSymbols(store.db, SYMBOL_TABLES[0], proseSymbols(), 7));
  add(1);
  assertEquals([packedCount(store.db), readSymbols(store.db)?.incomplete], [0, ["text_symbols_copy"]]);
  assertEquals(readSymbols(store.db)?.lastChunk, 7);
});

Deno.test("symbols are never replaced", async () => {
  await using store = await packedStore(1);
  for (const table of SYMBOL_TABLES) {
    assertThrows(() => writeSymbols(store.db, table, proseSymbols(), 1), Error, "must be empty");
  }
});

Deno.test("texts are read with one copy of the symbols, and with halves of both, but no more are packed", async () => {
  for (
    const damage of [
      "DELETE FROM text_symbols",
      "UPDATE text_symbols_copy SET symbols = zeroblob(3000)",
      "UPDATE text_symbols SET checksum = 1 WHERE id % 2 = 0; DELETE FROM text_symbols_copy WHERE id % 2 = 1",
    ]
  ) {
    await using store = await packedStore(2);
    store.db.exec(damage);
    forgetSymbols(store.db);
    assertEquals(store.document(2).chunks?.map(({ text }) => text), fileTexts(0));
    store.addFile("another", {}, { chunks: fileTexts(9).map(draft) });
    assertEquals(packedCount(store.db), 6);
  }
});

const DAMAGE: readonly (readonly [sql: string, readable: number])[] = [
  ["UPDATE chunks SET text = substr(text, 1, 30) WHERE id = 3", 5],
  ["DELETE FROM text_symbols; DELETE FROM text_symbols_copy", 0],
  ["UPDATE text_symbols SET checksum = 1; UPDATE text_symbols_copy SET table_id = 1", 0],
];

Deno.test("a text that cannot be read is reported as damage, and never as another text", async () => {
  for (const [sql, readable] of DAMAGE) {
    await using store = await packedStore(2);
    store.db.exec(sql);
    forgetSymbols(store.db);
    const stored = store.db.prepare("SELECT text FROM chunks WHERE id > 1").all() as { text: Uint8Array }[];
    const texts = stored.map(({ text }) => readableText(store.db, text));
    assertEquals(texts.filter((text) => text !== undefined).length, readable, sql);
    assertThrows(() => embeddableChunks(store.db, [3]), Error, "run kb-mcp check");
    assertThrows(() => chunksWithPhrase(store.db, ["a", "b"], [3]), Error, "run kb-mcp check");
    // Its terms would stay in the index.
    assertThrows(
      () => inTransaction(store.db, () => removeFromIndex(store.db, [3])),
      Error,
      "run kb-mcp check",
    );
    const error = assertThrows(() => store.write("deleteDocument", 2), Error);
    assertEquals((error as Error & { code?: string }).code, "storage_damaged");
    assertEquals([store.count("documents"), store.count("chunks")], [3, 7]);
  }
});

Deno.test("a database of an older version keeps its texts, and packs new ones", async () => {
  const dir = await createDataDir(await Deno.makeTempDir());
  const names = MIGRATIONS.map(({ name }) => name);
  createDatabase(dir, names.slice(0, names.indexOf("packed_texts")), timestamp);
  {
    using db = new DatabaseSync(dir.database);
    db.exec(`
      INSERT INTO documents (title, doc_type, content_hash, size_bytes, chunk_count, created_at)
             VALUES ('Old', 'text', '${sha256("old")}', 3, 2000, '2026-01-01T00:00:00.000Z');
      WITH n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 1999)
      INSERT INTO chunks (document_id, position, text, search_text, heading_path, search_heading)
             SELECT 1, i, 'zebra ' || i, NULL, '[]', '' FROM n;`);
  }
  {
    using db = openForWriting(dir, timestamp);
    db.exec("INSERT INTO chunks_fts (chunks_fts) VALUES ('rebuild')");
    checkIntegrity(db);
    const columns = db.prepare("SELECT type FROM pragma_table_info('chunks') WHERE name = 'text'").all();
    assertEquals(columns, [{ type: "ANY" }]);
    assertThrows(() => db.exec("UPDATE chunks SET text = NULL"), Error, "NOT NULL");
  }
  {
    await using store = TestStore.over(dir);
    startPacking(store.db);
    store.addFile("new", {}, { chunks: fileTexts(1).map(draft) });
    assertEquals([store.count("chunks"), packedCount(store.db)], [2003, 3]);
    assertEquals(store.document(1).chunks?.[1999]?.text, "zebra 1999");
    store.check();
    const older = MIGRATIONS.filter(({ name }) => name !== "packed_texts");
    assertThrows(() => pendingMigrations(store.db, older), DataDirError, "packed_texts");
  }
});

Deno.test("the migration refuses a schema that it does not know", () => {
  using db = new DatabaseSync(":memory:");
  const at = MIGRATIONS.findIndex(({ name }) => name === "packed_texts");
  const before = MIGRATIONS.slice(0, at);
  migrate(db, before, timestamp);
  db.exec("ALTER TABLE chunks RENAME COLUMN text TO body_text; ALTER TABLE chunks ADD COLUMN text TEXT");
  assertThrows(() => migrate(db, MIGRATIONS.slice(at, at + 1), timestamp), Error, "schema");
  assertEquals(pendingMigrations(db, MIGRATIONS)[0]?.name, "packed_texts");
});
