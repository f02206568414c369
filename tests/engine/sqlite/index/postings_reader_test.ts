import { assert, assertEquals } from "@std/assert";
import { PostingsReader } from "../../../../src/engine/sqlite/index/postings_reader.ts";
import { memoryCorpus } from "../search/corpus.ts";

Deno.test("posting lists of unknown words are evicted too, the oldest first", () => {
  const { db } = memoryCorpus([{ title: "x", chunks: ["y"] }]);
  const reader = new PostingsReader(db);
  reader.refresh();
  // A cached posting list is the same object.
  const first = reader.term("y");
  assert(reader.term("y") === first, "cached");
  for (let i = 0; i < 20_000; i++) assertEquals(reader.term(`none${i}`).count, 0);
  assert(reader.term("y") !== first, "evicted");
  db.close();
});
