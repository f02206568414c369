import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { createDataDir } from "../../../../src/engine/sqlite/store/data_dir.ts";
import { migrate } from "../../../../src/engine/sqlite/store/migrate.ts";
import { MIGRATIONS } from "../../../../src/engine/sqlite/store/migrations.ts";
import { getDocument } from "../../../../src/engine/sqlite/store/mod.ts";
import { noteText } from "../../../../src/engine/sqlite/store/note_texts.ts";
import { openForWriting } from "../../../../src/engine/sqlite/store/open.ts";
import { sha256, TestStore } from "./test_store.ts";

const HEADER = "| City | Population |\n| --- | ---: |\n";
const TABLE = HEADER + Array.from({ length: 300 }, (_, i) => `| City ${i} | ${i * 1000} |`).join("\n");

Deno.test("the chunks of a note's table have the header rows, and its text has them once", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote(TABLE).document_id);
  const chunks = store.document(id).chunks ?? [];
  assertEquals(chunks.map(({ repeated_chars }) => repeated_chars), [
    undefined,
    ...chunks.slice(1).map(() => HEADER.length),
  ]);
  assert(chunks.length > 3 && chunks.every(({ text }) => text.startsWith(HEADER)));
  assertEquals([noteText(store.db, id), store.count("note_texts")], [TABLE, 0]);
});

Deno.test("former versions of a note keep the header rows of their chunks", async () => {
  await using store = await TestStore.open();
  const id = Number(store.addNote(TABLE).document_id);
  const { chunks } = store.document(id);
  store.write("updateNote", id, { text: "No table", title: undefined }, {});
  const former = getDocument(store.db, id, { version: 1 })?.chunks;
  assertEquals(former?.map(({ text, repeated_chars }) => ({ text, repeated_chars })), [
    ...chunks!.map(({ text, repeated_chars }) => ({ text, repeated_chars })),
  ]);
  store.write("restoreDocument", id, { version: 1 });
  assertEquals(noteText(store.db, id), TABLE);
});

Deno.test("chunks of a database without repeated headers repeat nothing", async () => {
  const path = await Deno.makeTempDir();
  const dir = await createDataDir(path);
  const now = () => "2026-01-01T00:00:00.000Z";
  const old = new DatabaseSync(dir.database);
  migrate(old, MIGRATIONS.slice(0, MIGRATIONS.findIndex(({ name }) => name === "repeated_headers")), now);
  old.exec(`
    INSERT INTO documents (title, title_derived, doc_type, content_hash, size_bytes, chunk_count, created_at, version)
      VALUES ('Cities', 0, 'note', '${sha256("x")}', 1, 1, '${now()}', 1);
    INSERT INTO chunks (document_id, position, text, heading_path, search_heading, line_start, line_end, char_start, char_end)
      VALUES (1, 0, 'text', '[]', '', 1, 1, 0, 4);
  `);
  old.close();
  const db = openForWriting(dir, now);
  const chunk = getDocument(db, 1)?.chunks?.[0];
  assertEquals([chunk?.text, chunk?.repeated_chars, noteText(db, 1)], ["text", undefined, "text"]);
  db.close();
  await Deno.remove(path, { recursive: true });
});
