import { assertEquals } from "@std/assert";
import { wordsOf } from "../../../../src/engine/search/query_terms.ts";
import { memoryCorpus, search } from "./corpus.ts";
import { searcherWith } from "./vectors.ts";

Deno.test("a number is found in every spelling of its thousands and decimals, the typed one first", async () => {
  const spellings = ["1249,90", "1249.90", "1,249.90", "1.249,90", "1'249.90"];
  const texts = [...spellings.map((number) => `Paid ${number} EUR`), "Paid 1,250.90 EUR", "Paid 249.90 EUR"];
  const { db } = memoryCorpus(texts.map((text) => ({ title: "", chunks: [text] })));
  for (const query of spellings) {
    const { results } = await search(db, { query, mode: "fts" });
    const found = results.slice(0, spellings.length).map(({ text }) => text).sort();
    assertEquals(found, texts.slice(0, spellings.length).sort(), query);
    assertEquals(wordsOf(results[0]?.text ?? ""), wordsOf(`Paid ${query} EUR`));
  }
  db.close();
});

Deno.test("a text with the number as typed lacks nothing, so that stray matches are left out", async () => {
  const texts = [
    "Paid 1249,90 EUR",
    ...Array.from({ length: 30 }, (_, n) => `Page 90 of part ${n} ${"x ".repeat(40)}`),
  ];
  const { db } = memoryCorpus(texts.map((text) => ({ title: "", chunks: [text] })));
  const { results, weak_omitted } = await search(db, { query: "1249,90", mode: "fts" });
  assertEquals([results.map(({ text }) => text), weak_omitted], [["Paid 1249,90 EUR"], 30]);
  db.close();
});

Deno.test("a text with another spelling of a number is a whole match if no text has the typed one", async () => {
  const texts = [
    "Paid 1,249.90 EUR",
    "Paid 7,300.90 EUR",
    ...Array.from({ length: 20 }, (_, n) => `Page ${n}`),
  ];
  const { db } = memoryCorpus(texts.map((text) => ({ title: "", chunks: [text] })));
  // The vector of a number is vague: other texts are a little more similar.
  const searcher = searcherWith(db, new Map(texts.map((_, index) => [index + 1, index === 0 ? 0.1 : 0.25])));
  for (const query of ["1249,90", "1249.90", "1'249.90", "€1249,90", "paid 1249.90"]) {
    const { results } = await searcher.search({ query });
    assertEquals(results.map(({ text }) => text).slice(0, 1), ["Paid 1,249.90 EUR"], query);
  }
  db.close();
});
