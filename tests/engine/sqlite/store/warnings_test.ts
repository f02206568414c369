import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { createDataDir } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { migrate } from "../../../../src/engine/sqlite/store/migrate.ts";
import { MIGRATIONS } from "../../../../src/engine/sqlite/store/migrations.ts";
import { getDocument, listDocuments } from "../../../../src/engine/sqlite/store/mod.ts";
import { openForWriting } from "../../../../src/engine/sqlite/store/open.ts";
import { sha256, TestStore } from "./test_store.ts";

Deno.test("the warnings about a file are one sentence after the other, on its job and its document", async () => {
  await using store = await TestStore.open();
  const job = store.addFile("text", {}, { warnings: ["Page 2 is empty.", "The encoding was guessed."] });
  const expected = "Page 2 is empty. The encoding was guessed.";
  assertEquals([job.warning, store.document(job.document_id).warning], [expected, expected]);
  assertEquals(listDocuments(store.db, { limit: 10 }).documents[0]?.warning, expected);
  const sound = store.addFile("other");
  assertEquals([sound.warning, store.document(sound.document_id).warning], [undefined, undefined]);
});

Deno.test("a very long warning is cut", async () => {
  await using store = await TestStore.open();
  const { warning } = store.addFile("text", {}, { warnings: ["x".repeat(100_000)] });
  assertEquals(warning?.length, 2000);
});

Deno.test("a former version keeps its warning, and a restored one has it again", async () => {
  await using store = await TestStore.open();
  const fields = { sourcePath: "a.txt" };
  const { document_id } = store.addFile("bad", fields, { warnings: ["The encoding was guessed."] });
  store.addFile("good", fields);
  const id = Number(document_id);
  assertEquals(store.document(id).warning, undefined);
  assertEquals(getDocument(store.db, id, { version: 1 })?.warning, "The encoding was guessed.");
  store.write("restoreDocument", id, { version: 1 });
  assertEquals(store.document(id).warning, "The encoding was guessed.");
  store.write("editDocument", id, { title: "Renamed" }, {});
  assertEquals(store.document(id).warning, "The encoding was guessed.");
});

Deno.test("a database without warnings keeps its documents and revisions", async () => {
  const path = await Deno.makeTempDir();
  const dir = await createDataDir(path);
  const now = () => "2026-01-01T00:00:00.000Z";
  const old = new DatabaseSync(dir.database);
  migrate(old, MIGRATIONS.slice(0, MIGRATIONS.findIndex(({ name }) => name === "warnings")), now);
  const columns =
    "title, title_derived, doc_type, content_hash, size_bytes, chunk_count, created_at, version";
  const values = `'Kettle', 0, 'text', '${sha256("x")}', 1, 0, '${now()}'`;
  old.exec(`
    INSERT INTO documents (${columns}) VALUES (${values}, 2);
    INSERT INTO revisions (${columns}, document_id, tags, change, changed_at) VALUES (${values}, 1, 1, '[]', 'tags', '${now()}');
  `);
  old.close();
  const db = openForWriting(dir, now);
  assertEquals([getDocument(db, 1)?.title, getDocument(db, 1)?.warning], ["Kettle", undefined]);
  assertEquals(getDocument(db, 1, { version: 1, chunks: false })?.warning, undefined);
  db.close();
  await Deno.remove(path, { recursive: true });
});
