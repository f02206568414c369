import { assertEquals } from "@std/assert";
import { reportCorrections, spellingOf, wordsIn } from "../../../src/engine/search/corrections.ts";
import type { Correction } from "../../../src/engine/search/mod.ts";
import type { SearchResult } from "../../../src/contract/mod.ts";

function correction(term: string, spellings: readonly string[] = []): Correction {
  return { word: "typed", term, spellings, weight: 1 };
}

Deno.test("a corrected term is spelled as in the texts", () => {
  const spelling = (term: string, texts: string[]) => spellingOf(correction(term), wordsIn(texts));
  assertEquals(spelling("retriev", ["no such", "Retrieval, and retrieving"]), "retrieval");
  assertEquals(spelling("creme", ["Crème brûlée"]), "creme");
  assertEquals(spelling("retriev", ["nothing"]), undefined);
  assertEquals(spelling("retriev", []), undefined);
});

Deno.test("a spelling that may have been meant wins over another word with the same term", () => {
  assertEquals(spellingOf(correction("offer", ["offering"]), ["offered", "offering"]), "offering");
  assertEquals(spellingOf(correction("offer", ["offering"]), ["offered"]), "offered");
});

Deno.test("corrections that the results do not contain are not reported, unless none is", () => {
  const results = [{ text: "A heron.", title: null, heading_path: [] }] as unknown as SearchResult[];
  const report = (corrections: Correction[]) => reportCorrections(corrections, { results, terms: [] });
  assertEquals(report([correction("heron"), correction("hero")]), [{ word: "typed", used: "heron" }]);
  assertEquals(report([correction("hero")]), [{ word: "typed", used: "hero" }]);
});
