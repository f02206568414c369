import { assertEquals } from "@std/assert";
import { noteToCompare, rankSimilarNotes } from "../../../../src/engine/search/mod.ts";
import {
  compareAtBest,
  compareSentences,
  lexicalSimilarity,
  semanticSimilarity,
  sentenceWeight,
} from "../../../../src/engine/search/sentence_similarity.ts";
import { sentencesOf } from "../../../../src/engine/search/sentences.ts";

Deno.test("weights are read together, and only of notes that may be similar", () => {
  const candidate = (document_id: number, text: string) => ({
    document_id,
    title: null,
    text,
    cosine: undefined,
  });
  const announced = new Set<string>();
  const weighed = new Set<string>();
  const similar = rankSimilarNotes(
    noteToCompare({ text: "Ann lives in Milan, near the river." }),
    [
      candidate(7, "Ann lives in Rome, near the river. Wooden bridges burn quickly."),
      candidate(8, "Violins need strings."),
      candidate(9, "Ann plays the violin."),
    ],
    {
      limit: 3,
      onTerms: (terms) => terms.forEach((term) => announced.add(term)),
      weightOf: (term) => {
        weighed.add(term);
        return 1;
      },
    },
  );
  assertEquals(similar.map(({ document_id }) => document_id), [7]);
  assertEquals([...announced].sort(), ["ann", "live", "milan", "near", "river", "rome"]);
  // The coverage of a similar note counts all its sentences.
  assertEquals([...weighed.difference(announced)].sort(), ["bridg", "burn", "quickli", "wooden"]);
});

Deno.test("sentences compare at best at least as similar as they are", () => {
  const words = ["Ann", "lives", "rome", "near", "river", "2024"];
  const weights = new Map([["ann", 9], ["live", 1], ["rome", 4], ["near", 2], ["river", 6], ["2024", 8]]);
  const weightOf = (term: string) => weights.get(term) ?? 0;
  const sentences = sentencesOf(
    Array.from(
      { length: 2 ** words.length - 1 },
      (_, mask) => words.filter((_, n) => mask + 1 & 1 << n).join(" "),
    )
      .join("\n"),
    { max: 63 },
  );
  assertEquals(sentences.length, 63);
  for (const a of sentences) {
    const weight = sentenceWeight(a, weightOf);
    for (const b of sentences) {
      const best = compareAtBest(a, b, { weight, weightOf });
      const real = compareSentences(a, b, weightOf);
      assertEquals(lexicalSimilarity(best) >= lexicalSimilarity(real) - 1e-9, true);
      assertEquals(semanticSimilarity(best, 0.5) >= semanticSimilarity(real, 0.5) - 1e-9, true);
    }
  }
});
