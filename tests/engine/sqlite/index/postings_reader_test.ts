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

Deno.test("a phrase whose search was interrupted is found by the next search", () => {
  // So frequent that a word is not read as soon as it is located.
  const { db } = memoryCorpus([{ title: "x", chunks: Array.from({ length: 3000 }, () => "grey heron") }]);
  const interrupted: number[] = [];
  for (let last = 0; last < 4; last++) {
    const reader = new PostingsReader(db);
    reader.refresh();
    let calls = 0;
    reader.checkpoint = () => {
      if (calls++ === last) throw new Error("interrupted");
    };
    try {
      reader.phrase(["grey", "heron"]);
    } catch {
      interrupted.push(last);
    }
    reader.checkpoint = undefined;
    assertEquals(reader.phrase(["grey", "heron"])?.count, 3000);
  }
  // While the words are located, or one of them is read, or FTS5 compares positions.
  assertEquals(interrupted, [0, 1, 2, 3]);
  db.close();
});
