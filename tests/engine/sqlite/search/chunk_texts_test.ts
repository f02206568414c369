import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { ChunkTexts } from "../../../../src/engine/sqlite/search/chunk_texts.ts";
import { all, run } from "../../../../src/engine/sqlite/store/sql.ts";
import { createSchema, writeCorpus } from "./corpus.ts";

const DOCUMENTS = [
  {
    title: "Überschrift",
    chunks: ["plain words", "Crème BRÛLÉE in C++ and utf-8", "call getUserName() 東京都 µm"],
  },
  { title: "plain", chunks: [{ text: "x", headings: ["parseXML", "Ärger"] }, ""] },
];

/** Returns a store in which half of the chunks have stored normalized text, as those of older versions have. */
function openStore(): DatabaseSync {
  const db = new DatabaseSync(":memory:");
  createSchema(db);
  writeCorpus(db, [...DOCUMENTS, ...DOCUMENTS]);
  db.exec(
    "UPDATE chunks SET search_heading = '', search_text = '' WHERE id <= 5 AND search_text IS NOT NULL",
  );
  return db;
}

Deno.test("the text of a chunk is that of the index in lower case", () => {
  using db = openStore();
  const texts = new ChunkTexts(db);
  const rows = all<{ id: number; words: string; body: string }>(
    db,
    "SELECT id, title || ' ' || heading || ' ' || body AS words, body FROM chunk_search",
  );
  const found = texts.read(rows.map(({ id }) => id));
  for (const { id, words, body } of rows) {
    const text = found.get(id)!;
    assertEquals([text.body, text.subwords].join("\n").trimEnd(), body.toLowerCase().trimEnd());
    const indexed = words.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
    for (const word of ["nothing", "user", "utf8", "mum", "creme", "xml", "京", ...indexed]) {
      assertEquals(text.contains(word), indexed.includes(word), `${id} ${word}`);
    }
  }
});

Deno.test("texts are read again when the database has changed", () => {
  using db = openStore();
  const texts = new ChunkTexts(db);
  const hasTitle = (version: string) => {
    texts.refresh(version);
    return texts.read([1]).get(1)?.contains("renamed");
  };
  assertEquals(hasTitle("1"), false);
  run(db, "UPDATE documents SET title = 'renamed', search_title = NULL WHERE id = 1");
  assertEquals([hasTitle("1"), hasTitle("2")], [false, true]);
  run(db, "DELETE FROM chunks WHERE id = 1");
  assertEquals([hasTitle("2"), hasTitle("3")], [true, undefined]);
});
