import { assert, assertEquals } from "@std/assert";
import { PostingsReader } from "../../../../src/engine/sqlite/index/postings.ts";
import { stems } from "../../../../src/analysis/stem.ts";
import { memoryCorpus } from "../search/corpus.ts";

Deno.test("words that are in no chunk are forgotten too, the oldest first", () => {
  const { db } = memoryCorpus([{ title: "x", chunks: ["y"] }]);
  const reader = new PostingsReader(db);
  reader.refresh();
  // What is remembered is the same object.
  const first = reader.word("y");
  assert(reader.word("y") === first, "remembered");
  for (let i = 0; i < 20_000; i++) assertEquals(reader.word(`none${i}`).ids.length, 0);
  assert(reader.word("y") !== first, "forgotten");
  db.close();
});

Deno.test("stems are remembered of words of up to 64 characters", () => {
  const [short, long] = ["x".repeat(64), "x".repeat(65)];
  const once = stems([short, long, long]);
  const again = stems([short, long]);
  assertEquals(once, [[short], [long], [long]]);
  assert(again[0] === once[0], "remembered");
  assertEquals(again[1], once[1]);
  assert(again[1] !== once[1], "looked up again");
});
