import { assertEquals } from "@std/assert";
import { memoryCorpus } from "./corpus.ts";
import { searcherWith } from "./vectors.ts";

Deno.test("a text with the words of the query is first even if only other texts have vectors yet", async () => {
  const texts = [
    "Die Tragfähigkeit der alten Brücke beträgt 12 Tonnen.",
    ...Array.from({ length: 12 }, (_, n) => `Notiz ${n} über den Bau von Straßen`),
  ];
  const { db } = memoryCorpus(texts.map((text) => ({ title: "", chunks: [text] })));
  const similarities = texts.map((_, index) => [index + 1, 0.55 - index / 25] as const).slice(1);
  const searcher = searcherWith(db, new Map(similarities));
  for (const query of ["Brücke", "Brücke Tragfähigkeit", "Wie hoch ist die Tragfähigkeit der Brücke?"]) {
    const { results } = await searcher.search({ query, mode: "hybrid" });
    assertEquals(results[0]?.text, texts[0], query);
  }
  db.close();
});
