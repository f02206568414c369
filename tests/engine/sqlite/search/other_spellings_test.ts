import { assertEquals } from "@std/assert";
import { memoryCorpus } from "./corpus.ts";
import { searcherWith } from "./vectors.ts";

const OTHERS = Array.from({ length: 20 }, (_, n) => `Plan ${n}: page ${n % 7} of 2026 and part ${n % 5}`);

/** Texts, and the queries that find them first. */
const CASES: readonly (readonly [text: string, ...queries: string[]])[] = [
  ["Deployed 2.4.1 to production", "v2.4.1", "2.4.1", "deployed v2.4.1"],
  ["Tagged v3.1.4 for the customers", "3.1.4", "v3.1.4"],
  ["The review is on 2026-03-14", "14.03.2026", "14.3.2026", "3/14/2026", "2026-03-14", "review 14.3.2026"],
  ["Refill the boiler to 0.8 bar", "0.8bar", "0,8bar"],
  ["A laptop with 8 GB of memory", "8GB", "laptop 8GB"],
  ["A server with 64 GB of memory", "64GB", "64gb server"],
  ["Geburtstag: 5.11.2026", "2026-11-05", "05.11.2026"],
];

Deno.test("versions, dates and quantities are found in other spellings, as whole matches", async () => {
  const texts = [...CASES.map(([text]) => text), ...OTHERS];
  const { db } = memoryCorpus(texts.map((text) => ({ title: "", chunks: [text] })));
  // The vectors of numbers are vague: other texts are a little more similar.
  const similarities = texts.map((_, index) => [index + 1, index < CASES.length ? 0.1 : 0.3] as const);
  const searcher = searcherWith(db, new Map(similarities));
  for (const [text, ...queries] of CASES) {
    for (const query of queries) {
      for (const mode of ["fts", "hybrid"] as const) {
        const { results } = await searcher.search({ query, mode });
        assertEquals(results[0]?.text, text, `${query} ${mode}`);
      }
    }
  }
  db.close();
});
