import { assertEquals } from "@std/assert";
import type { SearchRequest } from "../../../../src/contract/mod.ts";
import { memoryCorpus } from "./corpus.ts";
import { searcherWith } from "./vectors.ts";

Deno.test("a search names a word that no text contains, but not common, corrected or many words", async () => {
  const { db } = memoryCorpus([
    { title: "Bird", chunks: ["A grey heron hunts in the shallow lagoon"], tags: ["a"] },
    { title: "Fish", chunks: ["A silver herring"], tags: ["b"] },
  ]);
  const searcher = searcherWith(db, new Map([[1, 0.6], [2, 0.3]]));
  const unknown = async (query: string, options: Partial<SearchRequest> = {}) =>
    (await searcher.search({ query, ...options })).unknown_words;
  assertEquals(await unknown("grey heron of Okavango"), ["okavango"]);
  assertEquals(await unknown("grey heron of Okavango", { mode: "fts" }), ["okavango"]);
  assertEquals(await unknown("grey heron lagoon Okavango XK77"), ["okavango", "xk77"]);
  // Other results look as if they were of the whole query only if they have most of it.
  assertEquals(await unknown("heron Okavango"), undefined);
  assertEquals(await unknown("Okavango"), undefined);
  assertEquals(
    await unknown("grey heron lagoon shallow hunts silver herring Okavango Zambezi Limpopo"),
    undefined,
  );
  // A common word, and one that is corrected.
  assertEquals(await unknown("grey heron lagoon strategy"), undefined);
  assertEquals(await unknown("grey herron lagoon"), undefined);
  assertEquals(await unknown("grey heron silver", { tags: ["a"] }), undefined);
  assertEquals(await unknown("grey heron of Okavango", { tags: ["none"] }), undefined);
  db.close();
});
