import { assertEquals } from "@std/assert";
import type { DatabaseSync } from "node:sqlite";
import { memoryCorpus, search } from "./corpus.ts";

async function titles(db: DatabaseSync, query: string, top = 10): Promise<string[]> {
  return (await search(db, { query, top })).results.map(({ title }) => String(title));
}

const NOTES = [
  ["a", "The universe is vast"],
  ["b", "The university is vast"],
  ["c", "Universal things are vast"],
].map(([title = "", text = ""]) => ({ title, chunks: [text] }));

Deno.test("an exact match ranks above other words with the same stem", async () => {
  const { db } = memoryCorpus(NOTES);
  assertEquals((await titles(db, "universe"))[0], "a");
  assertEquals((await titles(db, "University"))[0], "b");
  assertEquals((await titles(db, "universal"))[0], "c");
  assertEquals((await titles(db, "universities")).length, 3);
  db.close();
});

Deno.test("an exact match is a whole word, in title, heading or text, in any script", async () => {
  const { db } = memoryCorpus([
    { title: "in another word", chunks: ["runs runsé xruns runs2"] },
    { title: "runs", chunks: ["nothing else"] },
    { title: "heading", chunks: [{ text: "run run run", headings: ["run"] }] },
    { title: "Läufe run", chunks: ["x"] },
  ]);
  assertEquals((await titles(db, "run"))[0], "heading");
  assertEquals((await titles(db, "runs"))[0], "runs");
  assertEquals((await titles(db, "laufe run"))[0], "Läufe run");
  db.close();
});

Deno.test("a number ranks above others of which it is a part", async () => {
  const texts = ["123", "123.3", "123,45", "0.123", "123.30", "7"].map((number) =>
    `Widget ${number} is sold.`
  );
  // Of the others, the newer is first.
  const { db } = memoryCorpus(
    texts.map((text, n) => ({ title: text, chunks: [text], createdAt: `2026-01-0${n + 1}T00:00:00.000Z` })),
  );
  assertEquals((await titles(db, "Widget 123"))[0], texts[0]);
  assertEquals((await titles(db, "Widget 123.3"))[0], texts[1]);
  assertEquals((await titles(db, "widget 0.123"))[0], texts[3]);
  db.close();
});

Deno.test("a chunk with both words ranks above one that repeats the rarer word", async () => {
  const { db } = memoryCorpus([
    { title: "one", chunks: ["kettle kettle kettle kettle kettle kettle"] },
    { title: "two", chunks: ["kettle with vinegar"] },
    ...["a", "b"].map((title) => ({ title, chunks: ["vinegar on chips"] })),
  ]);
  assertEquals((await titles(db, "kettle vinegar"))[0], "two");
  db.close();
});

Deno.test("the order does not depend on the page size", async () => {
  const { db } = memoryCorpus(
    Array.from({ length: 120 }, (_, n) => ({
      title: `n${n}`,
      chunks: [(n % 3 ? "heron " : "herons ").repeat(1 + n % 5) + "reed ".repeat(n % 7)],
    })),
  );
  const whole = await titles(db, "heron reeds", 50);
  for (const top of [1, 7, 30]) assertEquals(await titles(db, "heron reeds", top), whole.slice(0, top));
  db.close();
});

Deno.test("a chunk with the whole query in sequence ranks above many that repeat its rarest word", async () => {
  const { db } = memoryCorpus([
    {
      title: "manual",
      chunks: Array.from({ length: 40 }, (_, n) => `test ${"test ".repeat(n % 5)}number ${n}`),
    },
    { title: "letter", chunks: [`${"Other words about the weather. ".repeat(40)}This is just a test.`] },
    { title: "Japanese", chunks: [`${"テスト仕様書。".repeat(40)}これはテストです`] },
    {
      title: "Japanese manual",
      chunks: Array.from({ length: 40 }, (_, n) => `これは${"テスト".repeat(3)}${n}`),
    },
  ]);
  assertEquals((await titles(db, "this is a test"))[0], "manual");
  assertEquals((await titles(db, "this is just a test"))[0], "letter");
  assertEquals((await titles(db, "this is JUST a tests!"))[0], "letter");
  assertEquals((await titles(db, "これはテストです"))[0], "Japanese");
  db.close();
});
