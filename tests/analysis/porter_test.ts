import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { porterStem } from "../../src/analysis/porter.ts";
import { TOKENIZER } from "../../src/analysis/stem.ts";
import { seededRandom } from "../support/random.ts";

const SYLLABLES =
  ("a e i o u y b t s l z w x ss sses ies eed ed ing at bl iz tt ational tional enci anci izer logi bli alli " +
    "entli eli ousli ization ation ator alism iveness fulness ousness aliti iviti biliti ical ness icate iciti " +
    "ful ative alize al ance ence er ic able ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize e ll " +
    "yy 1 ab com str").split(" ");

Deno.test("words have the same stem as in the full-text index", () => {
  const { int, pick } = seededRandom(5);
  const words = Array.from(
    { length: 20_000 },
    () => Array.from({ length: 1 + int(6) }, () => pick(SYLLABLES)).join("").slice(int(2)) || "a",
  );
  words.push("x".repeat(64) + "ing", "y".repeat(61) + "ing", "y".repeat(62) + "ing");
  const db = new DatabaseSync(":memory:");
  db.exec(`
    CREATE VIRTUAL TABLE words USING fts5 (word, content = '', tokenize = "${TOKENIZER}");
    CREATE VIRTUAL TABLE terms USING fts5vocab (words, instance);
  `);
  db.prepare("INSERT INTO words (rowid, word) VALUES (1, ?)").run(words.join(" "));
  const expected = db.prepare("SELECT term FROM terms ORDER BY offset").all().map(({ term }) => term);
  assertEquals(words.map(porterStem), expected);
  db.close();
});
