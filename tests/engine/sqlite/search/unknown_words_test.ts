import { assertEquals } from "@std/assert";
import type { SearchRequest } from "../../../../src/contract/mod.ts";
import { memoryCorpus, search } from "./corpus.ts";
import { searcherWith } from "./vectors.ts";

Deno.test("a search names a word that no text contains, but not common, corrected or many words", async () => {
  const { db } = memoryCorpus([
    { title: "Bird", chunks: ["A grey heron hunts in the shallow lagoon"], tags: ["a"] },
    { title: "Fish", chunks: ["A silver herring"], tags: ["b"] },
  ]);
  const searcher = searcherWith(db, new Map([[1, 0.6], [2, 0.3]]));
  const unknown = async (query: string, options: Partial<SearchRequest> = {}) =>
    (await searcher.search({ query, ...options })).unknown_words;
  assertEquals(await unknown("grey heron of Okavango"), ["Okavango"]);
  assertEquals(await unknown("grey heron of Okavango", { mode: "fts" }), ["Okavango"]);
  assertEquals(await unknown("grey heron lagoon Okavango XK77"), ["Okavango", "XK77"]);
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

Deno.test("a search names unknown words as they were typed, and no parts or other names of them", async () => {
  const { db } = memoryCorpus([
    { title: "Bird", chunks: ["A grey heron hunts in the shallow lagoon"] },
    { title: "도서관", chunks: ["한국어 도서관에서 책을 읽습니다"] },
  ]);
  const unknown = async (query: string) => (await search(db, { query })).unknown_words;
  assertEquals(await unknown("grey heron lagoon Łódź"), ["Łódź"]);
  assertEquals(await unknown("grey heron lagoon getUserEmail"), ["getUserEmail"]);
  assertEquals(await unknown("grey heron lagoon shallow C++"), ["C"]);
  assertEquals(await unknown("grey heron lagoon 東方"), ["東方"]);
  // The n-gram 샀습 occurs in no text.
  assertEquals(await unknown("한국어 도서관에서 책을 샀습니다"), undefined);
  db.close();
});
