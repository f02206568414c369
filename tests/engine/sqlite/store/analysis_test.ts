import { assert, assertEquals } from "@std/assert";
import { loadLanguages } from "../../../../src/analysis/mod.ts";
import { Searcher } from "../../../../src/engine/sqlite/search/mod.ts";
import {
  analysisStep,
  documentsToAnalyze,
  rebuildIndex,
  stemmedLanguages,
} from "../../../../src/engine/sqlite/store/mod.ts";
import { TestStore } from "./test_store.ts";

const NOTES = [
  "The contracts are in the drawer of the desk, and the key is with Anna.",
  "Die alten Häuser am Fluss gehören der Stadt.",
  "Договоры хранятся в сейфе директора.",
];

/** Makes the documents those of an older version. */
function forgetAnalysis({ db }: TestStore): void {
  db.exec(`DELETE FROM derived_fts;
    UPDATE documents SET language = NULL, stemmed_languages = NULL, analysis_version = 0`);
}

Deno.test("documents of an older version are analyzed in steps, and searchable before, meanwhile and after", async () => {
  await loadLanguages();
  await using store = await TestStore.open();
  for (let i = 0; i < 40; i++) for (const note of NOTES) store.addNote(`${note} ${i}`);
  const analyzed = store.db.prepare("SELECT * FROM documents").all();
  forgetAnalysis(store);
  const searcher = new Searcher({ db: store.db });
  // Too short to be found by spelling correction.
  const found = async (query: string) => (await searcher.search({ query })).total;
  assertEquals([await found("Haus"), await found("Häuser")], [0, 40]);
  assertEquals(documentsToAnalyze(store.db), 120);
  assert(await analysisStep(store.db));
  const rest = documentsToAnalyze(store.db);
  assert(rest > 0 && rest < 120);
  // The newest first.
  const { oldest } = store.db.prepare("SELECT min(id) AS oldest FROM documents WHERE analysis_version > 0")
    .get()!;
  assertEquals(oldest, rest + 1);
  while (await analysisStep(store.db));
  assertEquals([documentsToAnalyze(store.db), await found("Haus")], [0, 40]);
  assertEquals(store.db.prepare("SELECT * FROM documents").all(), analyzed);
  assertEquals(await analysisStep(store.db), false);
});

Deno.test("rebuilding the index leaves the derived terms to the next analysis, which restores them", async () => {
  await loadLanguages();
  await using store = await TestStore.open();
  for (const note of NOTES) store.addNote(note);
  const terms = () => store.db.prepare("SELECT rowid, * FROM derived_fts ORDER BY rowid").all();
  const before = terms();
  rebuildIndex(store.db);
  assertEquals(terms(), []);
  while (await analysisStep(store.db));
  assertEquals(terms(), before);
  store.db.exec("INSERT INTO derived_fts (derived_fts) VALUES ('integrity-check')");
});

Deno.test("English text has no derived terms, and other languages those of their stems only", async () => {
  await loadLanguages();
  await using store = await TestStore.open();
  store.addNote(NOTES[0]!);
  assertEquals(stemmedLanguages(store.db), []);
  assertEquals(store.db.prepare("SELECT count(*) AS n FROM derived_fts").get(), { n: 0 });
  for (const note of NOTES) store.addNote(note, { title: "x" });
  assertEquals(stemmedLanguages(store.db), ["de", "ru"]);
});

Deno.test("terms of a deleted book are erased from the index of derived terms, too", async () => {
  await loadLanguages();
  await using store = await TestStore.open();
  const paragraph = "Die alten Häuser am Fluss wurden verkauft, und niemand wollte darüber sprechen. ".repeat(
    16,
  );
  const { document_id } = store.addFile(Array.from({ length: 20 }, () => paragraph).join("\n\n"));
  const pages = () =>
    JSON.stringify(store.db.prepare("SELECT hex(block) AS block FROM derived_fts_data").all());
  const hex = new TextEncoder().encode("verkauf").toHex().toUpperCase();
  assert(pages().includes(hex));
  store.write("deleteDocument", Number(document_id));
  const { purgeStep } = await import("../../../../src/engine/sqlite/store/mod.ts");
  while (purgeStep(store.db));
  assert(!pages().includes(hex));
});
