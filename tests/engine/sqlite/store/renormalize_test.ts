import { assert, assertEquals, assertNotEquals } from "@std/assert";
import type { DatabaseSync } from "node:sqlite";
import { normalizeForSearch } from "../../../../src/analysis/normalize.ts";
import { Searcher } from "../../../../src/engine/sqlite/search/mod.ts";
import { renormalize } from "../../../../src/engine/sqlite/store/renormalize.ts";
import { openForWriting } from "../../../../src/engine/sqlite/store/open.ts";
import { TestStore } from "./test_store.ts";

const NOTES = [
  "# Accounts\n\ncall getUserName() in C++",
  "# getUserName\n\nthe setter is in another file",
  "# 東京都の天気\n\n今日は晴れ",
  "# Plain\n\nnothing but words",
  "# Crème\n\nbrûlée",
];

/** Restores the state before the migration search_parts: normalized text without subwords. */
function downgrade(db: DatabaseSync): void {
  const orNull = (text: string) => normalizeForSearch(text) === text ? null : normalizeForSearch(text);
  for (const { id, title } of db.prepare("SELECT id, title FROM documents").all()) {
    db.prepare("UPDATE documents SET search_title = ? WHERE id = ?").run(orNull(String(title)), Number(id));
  }
  for (const { id, text, heading_path } of db.prepare("SELECT id, text, heading_path FROM chunks").all()) {
    const headings = (JSON.parse(String(heading_path)) as string[]).join("\n");
    db.prepare("UPDATE chunks SET search_text = ?, search_heading = ? WHERE id = ?")
      .run(orNull(String(text)), normalizeForSearch(headings), Number(id));
  }
  db.exec(`
    INSERT INTO chunks_fts (chunks_fts) VALUES ('rebuild');
    DELETE FROM schema_migrations WHERE name = 'search_parts';
  `);
}

/** Returns all rows by table, without some columns. */
function contents(db: DatabaseSync, ...without: string[]): Record<string, unknown[]> {
  const tables = ["documents", "chunks", "document_tags", "tags", "jobs", "removed_chunks"];
  return Object.fromEntries(tables.map((table) => {
    const rows = db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2`).all();
    return [
      table,
      rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => !without.includes(name)))),
    ];
  }));
}

/** Returns every occurrence of every term in the index. */
function occurrences(db: DatabaseSync): unknown[] {
  db.exec("CREATE VIRTUAL TABLE IF NOT EXISTS temp.occurrences USING fts5vocab (main, chunks_fts, instance)");
  return db.prepare('SELECT term, doc, col, "offset" FROM occurrences ORDER BY 1, 2, 3, 4').all();
}

/** Opens a store with notes that are not analyzed, whether or not another test has loaded the languages. */
async function newStore(notes: readonly string[] = NOTES): Promise<TestStore> {
  const store = await TestStore.open();
  for (const note of notes) store.addNote(note, { tags: ["t"] });
  store.db.exec("DELETE FROM derived_fts; UPDATE documents SET analysis_version = 0");
  return store;
}

/** Opens a store in the state before the migration search_parts. */
async function oldStore(notes: readonly string[] = NOTES): Promise<TestStore> {
  const store = await newStore(notes);
  downgrade(store.db);
  return store;
}

async function find(db: DatabaseSync, query: string): Promise<unknown[]> {
  const { results } = await new Searcher({ db }).search({ query, top: 50 });
  return results.map(({ document_id }) => document_id).sort();
}

Deno.test("opening an older store makes subwords searchable", async () => {
  await using store = await oldStore();
  const cases: [string, number[]][] = [["user", [1, 2]], ["東京", [3]], ["天気", [3]]];
  for (const [query] of cases) assertEquals(await find(store.db, query), [], query);
  assertEquals(await find(store.db, "getUserName creme"), [1, 2, 5]);
  const reopened = openForWriting(store.dir, () => "2026-01-01T00:00:00.000Z");
  try {
    for (const [query, ids] of cases) assertEquals(await find(reopened, query), ids, query);
    assertEquals(await find(reopened, "getUserName creme"), [1, 2, 5]);
  } finally {
    reopened.close();
  }
});

Deno.test("renormalizing has the same result as indexing again, and changes nothing else", async () => {
  await using store = await newStore();
  const [rows, terms] = [contents(store.db), occurrences(store.db)];
  downgrade(store.db);
  const old = contents(store.db, "search_text", "search_heading", "search_title");
  assertNotEquals(contents(store.db), rows);
  renormalize(store.db);
  assertEquals(contents(store.db), rows);
  assertEquals(contents(store.db, "search_text", "search_heading", "search_title"), old);
  assertEquals(occurrences(store.db), terms);
  store.check();
});

Deno.test("a title, heading or text with subwords is renormalized", async () => {
  const cases: [title: string, text: string][] = [
    ["getUserName", "plain"],
    ["plain", "# getUserName\n\nplain"],
    ["plain", "getUserName"],
  ];
  for (const [title, text] of cases) {
    await using store = await TestStore.open();
    store.addNote(text, { title });
    downgrade(store.db);
    store.check();
    renormalize(store.db);
    assertEquals(await find(store.db, "user"), [1], `${title}: ${text}`);
    store.check();
  }
});

Deno.test("renormalizing twice changes nothing and does not rebuild the index", async () => {
  await using store = await oldStore();
  renormalize(store.db);
  const [rows, terms] = [contents(store.db), occurrences(store.db)];
  const changes = () => Number(store.db.prepare("SELECT total_changes() AS n").get()?.n);
  const before = changes();
  renormalize(store.db);
  assertEquals(changes(), before);
  assertEquals([contents(store.db), occurrences(store.db)], [rows, terms]);
});

Deno.test("more rows than one batch are renormalized", async () => {
  await using store = await TestStore.open({ chunk: { maxTokens: 16, overlapTokens: 0 } });
  const texts = Array.from({ length: 1203 }, (_, n) => `call getUserName() of number ${n}, or else`);
  store.addNote(texts.join("\n\n"), { title: "plain" });
  downgrade(store.db);
  const chunks = store.count("chunks");
  assert(chunks > 1200, String(chunks));
  renormalize(store.db);
  const { total } = await new Searcher({ db: store.db }).search({ query: "user" });
  assertEquals(total, chunks);
  store.check();
});

Deno.test("an empty store can be renormalized", async () => {
  await using store = await oldStore([]);
  renormalize(store.db);
  assertEquals(occurrences(store.db), []);
  store.check();
});

Deno.test("deleting renormalized documents empties the index", async () => {
  await using store = await oldStore();
  renormalize(store.db);
  for (const id of [1, 2, 3, 4, 5]) store.write("deleteDocument", id);
  assertEquals(occurrences(store.db), []);
  store.check();
});
