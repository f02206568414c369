import { assert, assertEquals } from "@std/assert";
import { memoryCorpus, search } from "./corpus.ts";
import { searcherWith } from "./vectors.ts";

const OTHERS = Array.from({ length: 20 }, (_, n) => `Plan ${n}: page 8 of grade e, and 4711 euros`);

Deno.test("a code that no text has as typed is found where it is one word, as a whole match", async () => {
  const texts = ["The boiler shows E4711 when the pressure is low.", "All files are in utf8.", ...OTHERS];
  const { db } = memoryCorpus(texts.map((text) => ({ title: "", chunks: [text] })));
  // The vector of an identifier is vague: other texts are a little more similar.
  const searcher = searcherWith(db, new Map(texts.map((_, index) => [index + 1, index < 2 ? 0.1 : 0.25])));
  for (const [query, text] of [["E-4711", texts[0]], ["boiler E-4711?", texts[0]], ["UTF-8", texts[1]]]) {
    for (const mode of ["fts", "hybrid"] as const) {
      const { results } = await searcher.search({ query: query ?? "", mode });
      assertEquals(results[0]?.text, text, `${query} ${mode}`);
    }
  }
  db.close();
});

Deno.test("a code is found as typed first, and then where it is one word", async () => {
  const texts = ["Refill at E4711.", "Refill at E-4711.", ...OTHERS];
  const { db } = memoryCorpus(texts.map((text) => ({ title: "", chunks: [text] })));
  const { results } = await search(db, { query: "E-4711", mode: "fts", include_weak: true });
  assertEquals(results[0]?.text, texts[1]);
  assert(results.some(({ text }) => text === texts[0]));
  db.close();
});

Deno.test("a version is no code: its digits without the dot are another number", async () => {
  const texts = ["Page 25 of the plan", "Version 2 of the plan", ...OTHERS];
  const { db } = memoryCorpus(texts.map((text) => ({ title: "", chunks: [text] })));
  const { results } = await search(db, { query: "version 2.5", mode: "fts" });
  assertEquals(results[0]?.text, texts[1]);
  db.close();
});
