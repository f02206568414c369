import { assertEquals } from "@std/assert";
import { normalizeForSearch } from "../../../src/analysis/mod.ts";
import { reportCorrections, spellingOf } from "../../../src/engine/search/corrections.ts";
import type { Correction } from "../../../src/engine/search/mod.ts";
import type { SearchResult } from "../../../src/contract/mod.ts";

function correction(term: string, spellings: readonly string[] = []): Correction {
  return { word: "typed", term, spellings, weight: 1 };
}

Deno.test("a corrected term is spelled as in the texts", () => {
  const spelling = (term: string, texts: string[]) =>
    spellingOf(correction(term), normalizeForSearch(texts.join("\n")).toLowerCase());
  assertEquals(spelling("retriev", ["no such", "Retrieval, and retrieving"]), "retrieval");
  assertEquals(spelling("creme", ["Crème brûlée"]), "creme");
  assertEquals(spelling("retriev", ["nothing"]), undefined);
  assertEquals(spelling("retriev", []), undefined);
});

Deno.test("a spelling that may have been meant wins over another word with the same term", () => {
  assertEquals(spellingOf(correction("offer", ["offering"]), "offered offering"), "offering");
  assertEquals(spellingOf(correction("offer", ["offering"]), "offered"), "offered");
});

Deno.test("corrections that the results do not contain are not reported, unless none is", () => {
  const results = [{ text: "A heron.", title: null, heading_path: [] }] as unknown as SearchResult[];
  const report = (corrections: Correction[]) => reportCorrections(corrections, { results, terms: [] });
  assertEquals(report([correction("heron"), correction("hero")]), [{ word: "typed", used: "heron" }]);
  assertEquals(report([correction("hero")]), [{ word: "typed", used: "hero" }]);
  assertEquals(report([correction("outrag", ["outrage"])]), [{ word: "typed", used: "outrage" }]);
});

Deno.test("of several spellings, the first whole word of the results is reported", () => {
  const results = [{
    text: "Xoffering 𐌰offer, offered: offering",
    title: null,
    heading_path: [],
  }] as unknown as SearchResult[];
  const used = (spellings: string[]) =>
    reportCorrections([correction("offer", spellings)], { results, terms: [] })[0]?.used;
  assertEquals(used(["offering", "offered"]), "offered");
  assertEquals(used(["offering"]), "offering");
  assertEquals(used(["offer"]), "offered");
});

Deno.test("a misspelled word that matches by its stem is reported with the word of the results", () => {
  const results = [{
    text: "No bedding. Embeddings and embedding",
    title: null,
    heading_path: [],
  }] as unknown as SearchResult[];
  const report = (word: string) =>
    reportCorrections([], { results, terms: [{ words: [word], weight: 1 }] }).map(({ used }) => used);
  assertEquals(["embeding", "embedding", "emxxding"].map(report), [["embedding"], [], []]);
});

Deno.test("a word of one result is not misspelled in another", () => {
  const results = ["an embedding", "the embeding"].map((text) => ({ text, title: null, heading_path: [] }));
  const terms = [{ words: ["embeding"], weight: 1 }];
  const report = (count: number) =>
    reportCorrections([], { results: results.slice(0, count) as unknown as SearchResult[], terms });
  assertEquals([report(1), report(2)], [[{ word: "embeding", used: "embedding" }], []]);
});
