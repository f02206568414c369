import { assert } from "@std/assert";
import { loadLanguages } from "../../../../src/analysis/mod.ts";
import { Searcher } from "../../../../src/engine/sqlite/search/mod.ts";
import { INFLECTIONS } from "../../../analysis/languages/inflections.ts";
import { TestStore } from "../store/test_store.ts";

/** Results among which the sentence must be. */
const TOP = 3;

Deno.test("inflected queries of one word find their sentences in a store of all languages", async () => {
  await loadLanguages();
  await using store = await TestStore.open();
  const sentences = Object.entries(INFLECTIONS).flatMap(([language, list]) =>
    list.map(([sentence, query]) => ({ language, query, id: store.addNote(sentence).document_id }))
  );
  const searcher = new Searcher({ db: store.db });
  const missed: string[] = [];
  for (const { language, query, id } of sentences) {
    const { results } = await searcher.search({ query, top: TOP });
    if (!results.some(({ document_id }) => document_id === id)) missed.push(`${language}: ${query}`);
  }
  assert(missed.length <= 0.02 * sentences.length, `${missed.length} missed: ${missed.join(", ")}`);
});
