import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { PostingsReader } from "../../../src/engine/search/postings.ts";
import { stems } from "../../../src/engine/search/stem.ts";

Deno.test("words that are in no chunk are forgotten too, the oldest first", () => {
  const db = new DatabaseSync(":memory:");
  let reads = 0;
  db.function("count_read", () => ++reads);
  db.exec(`
    CREATE TABLE one (doc, col, term);
    CREATE VIEW chunk_word_places AS SELECT doc, col, term FROM one WHERE (SELECT count_read());
    INSERT INTO one VALUES (1, 'text', 'x');
  `);
  const reader = new PostingsReader(db);
  const readsOf = (word: string) => {
    const before = reads;
    assertEquals(reader.word(word).ids.length, 0);
    return reads - before;
  };
  assert(readsOf("none") > 0);
  assertEquals(readsOf("none"), 0, "remembered");
  for (let i = 0; i < 16_000; i++) reader.word(`none${i}`);
  assert(readsOf("none") > 0, "forgotten");
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
