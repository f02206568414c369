import { assertEquals } from "@std/assert";
import { noteToCompare, rankSimilarNotes } from "../../../../src/engine/search/mod.ts";

Deno.test("weights are read together, and only of sentences that share a term", () => {
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
