import { assertEquals, assertThrows } from "@std/assert";
import { planSearch, planWithoutFrequentPhrases } from "../../../../src/engine/search/mod.ts";
import { parseQuery } from "../../../../src/engine/search/query.ts";
import { PostingsReader, ScoreAccumulator } from "../../../../src/engine/sqlite/index/mod.ts";
import { ChunkTexts } from "../../../../src/engine/sqlite/search/chunk_texts.ts";
import { phraseFilter } from "../../../../src/engine/sqlite/search/phrase_filter.ts";
import { rankByTerms } from "../../../../src/engine/sqlite/search/term_ranking.ts";
import { memoryCorpus } from "./corpus.ts";

/** 400 chunks with "common", a tenth of them with "usual common", one with "heron". */
function corpus() {
  const chunks = Array.from(
    { length: 400 },
    (_, index) => `${index === 7 ? "heron " : ""}${index % 10 === 0 ? "usual " : ""}common number ${index}`,
  );
  return memoryCorpus([{ title: "t", chunks }]).db;
}

Deno.test("the most frequent words beyond the budget of a query are ignored, with a warning", () => {
  const db = corpus();
  const reader = new PostingsReader(db);
  reader.refresh();
  const options = { texts: new ChunkTexts(db), reader, scores: new ScoreAccumulator(reader.memory) };
  const query = parseQuery("heron common usual");
  const { hits, warnings } = rankByTerms(query, { ...options, maxPostings: 100 });
  assertEquals(hits.ids.length, 41);
  assertEquals(warnings, ['Ignored the frequent words "common": search for fewer or rarer words.']);
  const isRead = () => ["heron", "common", "usual", "missing"].map((term) => reader.isInMemory(term));
  assertEquals(isRead(), [true, false, true, false]);
  const all = rankByTerms(query, options);
  assertEquals([all.hits.ids.length, all.warnings], [400, []]);
  reader.estimate(["missing"]);
  assertEquals(isRead(), [true, true, true, true]);
  db.close();
});

Deno.test("a search that was interrupted leaves no scores", () => {
  const db = corpus();
  const reader = new PostingsReader(db);
  reader.refresh();
  const options = { texts: new ChunkTexts(db), reader, scores: new ScoreAccumulator(reader.memory) };
  let steps = 0;
  const checkpoint = () => {
    if (++steps > 3) throw new Error("interrupted");
  };
  assertThrows(
    () => rankByTerms(parseQuery("heron usual 17 common"), { ...options, checkpoint }),
    Error,
    "interrupted",
  );
  // Comparisons with similar notes use the same scores.
  assertEquals(options.scores.count, 0);
  assertEquals(rankByTerms(parseQuery("heron"), options).hits.ids.length, 1);
  db.close();
});

Deno.test("a search that fails leaves no scores", () => {
  const db = corpus();
  const reader = new PostingsReader(db);
  reader.refresh();
  const options = { texts: new ChunkTexts(db), reader, scores: new ScoreAccumulator(reader.memory) };
  const isAllowed = () => {
    throw new Error("damaged");
  };
  assertThrows(() => rankByTerms(parseQuery("common"), { ...options, isAllowed }), Error, "damaged");
  // Comparisons with similar notes use the same scores.
  assertEquals(options.scores.count, 0);
  db.close();
});

Deno.test("phrases of frequent words are not checked", () => {
  const db = corpus();
  const reader = new PostingsReader(db, { maxPhraseCandidates: 100 });
  reader.refresh();
  const texts = (phrases: readonly { readonly text: string }[]) => phrases.map(({ text }) => text);
  const query = parseQuery('"common number" "usual common" -"number common" -"heron common"');
  const { matches, missing, unchecked } = phraseFilter(query, { texts: new ChunkTexts(db), reader });
  assertEquals([texts(missing), texts(unchecked)], [[], ["number common", "common number"]]);
  assertEquals(Array.from({ length: 20 }, (_, index) => index + 1).filter((id) => matches?.(id)), [1, 11]);
  db.close();
});

Deno.test("a search without the phrases of frequent words says so", () => {
  const plan = planSearch({ query: '"of the" heron -"to the"' }, { hasVectors: false });
  const { query, warnings } = planWithoutFrequentPhrases(plan, [
    ...plan.query.phrases,
    ...plan.query.exclusions,
  ]);
  assertEquals(query.phrases, []);
  assertEquals(warnings, [
    'Did not check for "of the" or "to the": too many texts contain these words. Quote rarer words.',
  ]);
});

Deno.test("a search that was ended does not read its phrases and exclusions", () => {
  const db = corpus();
  const reader = new PostingsReader(db);
  reader.refresh();
  const checkpoint = () => {
    throw new Error("ended");
  };
  for (const text of ['"usual common"', "-usual heron"]) {
    assertThrows(
      () => phraseFilter(parseQuery(text), { texts: new ChunkTexts(db), reader, checkpoint }),
      Error,
      "ended",
    );
  }
  assertEquals(reader.checkpoint, undefined);
  db.close();
});
