import { assert, assertEquals } from "@std/assert";
import type { SearchRequest } from "../../../../src/contract/mod.ts";
import { memoryCorpus } from "./corpus.ts";
import { searcherWith } from "./vectors.ts";

Deno.test("a search says that its results are only similar if no text contains a word of the query", async () => {
  const { db } = memoryCorpus([
    { title: "Bird", chunks: ["A grey heron"], tags: ["a"] },
    { title: "Fish", chunks: ["A silver herring"], tags: ["b"] },
  ]);
  const searcher = searcherWith(db, new Map([[1, 0.6], [2, 0.3]]));
  const isOnlySimilar = async (request: SearchRequest) => {
    const { only_similar = false, results } = await searcher.search(request);
    return [only_similar, results.length > 0];
  };
  assertEquals(await isOnlySimilar({ query: "stork" }), [true, true]);
  assertEquals(await isOnlySimilar({ query: "heron stork" }), [false, true]);
  // Another document has the word.
  assertEquals(await isOnlySimilar({ query: "silver", tags: ["a"] }), [true, true]);
  // The correction is found.
  assertEquals(await isOnlySimilar({ query: "herron" }), [false, true]);
  for (const mode of ["vector", "fts"] as const) {
    assertEquals((await isOnlySimilar({ query: "stork", mode }))[0], false);
  }
  assertEquals(await isOnlySimilar({ query: "stork", tags: ["c"] }), [false, false]);
  assert((await searcher.search({ query: "stork" })).mode === "hybrid");
  db.close();
});
