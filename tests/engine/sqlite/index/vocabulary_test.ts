import { assertEquals } from "@std/assert";
import { PostingsReader } from "../../../../src/engine/sqlite/index/postings_reader.ts";
import { memoryCorpus, writeCorpus } from "../search/corpus.ts";

Deno.test("terms are found whether their section is in memory or not", () => {
  const { db } = memoryCorpus([{ title: "", chunks: ["water later 𠮷野家"] }]);
  const reader = new PostingsReader(db);
  reader.refresh();
  const candidates = ["water", "later", "wader", "layer", "野"];
  for (const word of ["watre", "latre", "野野野野", "xatre"]) {
    assertEquals([...reader.existingTerms(word, candidates)].sort(), ["later", "water", "野"], word);
    // Reads the section of the word.
    reader.similarTerms(word, 1);
    assertEquals([...reader.existingTerms(word, candidates)].sort(), ["later", "water", "野"], word);
  }
  db.close();
});

Deno.test("a section in memory is not used after many chunks have changed", () => {
  const { db } = memoryCorpus([{ title: "", chunks: ["water later"] }]);
  const reader = new PostingsReader(db);
  reader.refresh();
  for (const word of ["watre", "latre"]) reader.similarTerms(word, 1);
  writeCorpus(db, [{ title: "", chunks: ["wader layer"] }]);
  reader.refresh();
  assertEquals([...reader.existingTerms("watre", ["wader", "layer"])].sort(), ["layer", "wader"]);
  db.close();
});
