import { assert, assertEquals, assertThrows } from "@std/assert";
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

Deno.test("a phrase whose search was interrupted is found by the next search", () => {
  // So frequent that a word is not read as soon as it is located.
  const { db } = memoryCorpus([{ title: "x", chunks: Array.from({ length: 1000 }, () => "grey heron") }]);
  const reader = new PostingsReader(db);
  reader.refresh();
  let calls = 0;
  reader.checkpoint = () => {
    // Called when the words are located, and when each of them is read.
    if (++calls === 3) throw new Error("interrupted");
  };
  assertThrows(() => reader.phrase(["grey", "heron"]), Error, "interrupted");
  reader.checkpoint = undefined;
  assertEquals(reader.phrase(["grey", "heron"])?.count, 1000);
  db.close();
});
