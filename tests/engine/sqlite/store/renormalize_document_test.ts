import { assertEquals } from "@std/assert";
import type { DatabaseSync } from "node:sqlite";
import { normalizeForSearch } from "../../../../src/analysis/mod.ts";
import { Searcher } from "../../../../src/engine/sqlite/search/mod.ts";
import { analysisStep } from "../../../../src/engine/sqlite/store/mod.ts";
import { renormalizeDocument } from "../../../../src/engine/sqlite/store/renormalize_document.ts";
import { TestStore } from "./test_store.ts";

const PARAGRAPH = "The role of PKCζ in cells is not known. ".repeat(30);

/** Gives all documents the search text of a version without subwords. */
function forgetSubwords(db: DatabaseSync): void {
  db.function("normalized", (text) => normalizeForSearch(String(text ?? "")));
  db.exec(`
    UPDATE documents SET search_title = nullif(normalized(title), title), analysis_version = 0;
    UPDATE chunks SET search_text = nullif(normalized(text), text), search_heading = coalesce((
      SELECT normalized(group_concat(value, char(10))) FROM json_each(heading_path)), '');
    INSERT INTO chunks_fts (chunks_fts) VALUES ('rebuild');
  `);
}

function occurrences(db: DatabaseSync): unknown[] {
  db.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.occurrences USING fts5vocab (main, chunks_fts, instance)");
  return db.prepare('SELECT term, doc, col, "offset" FROM occurrences ORDER BY 1, 2, 3, 4').all();
}

Deno.test("documents of an older version get their search text in steps, short and long ones", async () => {
  await using store = await TestStore.open();
  store.addNote("# TNF-α\n\nA short note");
  store.addNote(Array.from({ length: 12 }, (_, n) => `## Part ${n}\n\n${PARAGRAPH}`).join("\n\n"));
  store.addNote("# Plain\n\nnothing but words");
  const contents = () => [
    store.db.prepare("SELECT * FROM chunk_search").all(),
    store.db.prepare("SELECT id, search_title FROM documents").all(),
    occurrences(store.db),
  ];
  const before = contents();
  forgetSubwords(store.db);
  const searcher = new Searcher({ db: store.db });
  const total = async (query: string) => (await searcher.search({ query })).total;
  assertEquals([await total("alpha"), await total("zeta")], [0, 0]);
  while (await analysisStep(store.db));
  assertEquals(contents(), before);
  assertEquals([await total("alpha"), (await total("zeta") ?? 0) > 8], [1, true]);
  store.db.exec("INSERT INTO chunks_fts (chunks_fts) VALUES ('integrity-check')");
  assertEquals(renormalizeDocument(store.db, 2), false);
  assertEquals(renormalizeDocument(store.db, 99), false);
});
