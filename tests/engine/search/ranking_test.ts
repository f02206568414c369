import { assertEquals } from "@std/assert";
import {
  combineRankings,
  executedMode,
  limitPerDocument,
  type Ranking,
  rankingOfHits,
} from "../../../src/engine/search/ranking.ts";
import type { Hits, TermRanking } from "../../../src/engine/search/mod.ts";
import { byScore, type ScoredChunk } from "../../../src/engine/search/hits.ts";
import { type Random, seededRandom } from "../../support/random.ts";

/** Returns hits in random order, with few distinct scores, so that there are many ties. */
function randomHits({ int }: Random, count: number, scores = 40): Hits {
  const ids = Array.from({ length: count }, (_, n) => n * 3 + int(3) + 1);
  for (let n = ids.length - 1; n > 0; n--) {
    const other = int(n + 1);
    [ids[n], ids[other]] = [ids[other]!, ids[n]!];
  }
  return { ids: Uint32Array.from(ids), scores: Float64Array.from(ids, () => int(scores) + 1) };
}

function sorted({ ids, scores }: Hits): ScoredChunk[] {
  return Array.from(ids, (id, index) => ({ id, score: scores[index]! })).sort(byScore);
}

function idsOf(scored: readonly ScoredChunk[]): number[] {
  return scored.map(({ id }) => id);
}

/** Ranking by terms whose hits match half of the query. */
function termRanking(hits: Hits): TermRanking {
  const ordered = sorted(hits).sort((a, b) => a.id - b.id);
  const ids = Uint32Array.from(ordered, ({ id }) => id);
  const scores = Float64Array.from(ordered, ({ score }) => score);
  const weights = new Float32Array(ids.length).fill(5);
  return { hits: { ids, scores, weights }, corrections: [], queryWeight: 10, rareWeight: 7 };
}

/** Combines a ranking by terms with one by the vectors of all chunks. */
function hybridRanking(hits: Hits, vector: readonly ScoredChunk[]): Ranking {
  const vectors = { hits: vector, others: [], total: vector.length, spread: 0.1 };
  return combineRankings({ terms: termRanking(hits), vectors }, { includeWeak: true });
}

/** Lengths of pages, and those around the number of results. */
const LENGTHS = [1, 2, 3, 4, 7, 50, 199, 200, 201, 999, 1000, 1001, 1002, 1199, 1200, 1201, 1299, 1300, 2000];

/** Asserts that every `top()` is a prefix of one list, which contains each chunk once. */
function assertOneOrder(ranking: Ranking): void {
  const all = ranking.top(10_000);
  assertEquals(all.length, ranking.total);
  assertEquals(new Set(idsOf(all)), new Set(ranking.hits().ids));
  assertEquals(new Set(idsOf(all)).size, all.length);
  assertEquals(all, all.toSorted((a, b) => b.score - a.score));
  for (const length of LENGTHS) assertEquals(ranking.top(length), all.slice(0, length), `top ${length}`);
}

Deno.test("a ranking of hits is sorted by score, then by id", () => {
  const hits = randomHits(seededRandom(1), 1300);
  const ranking = rankingOfHits(hits);
  assertOneOrder(ranking);
  assertEquals(ranking.top(5000), sorted(hits));
});

Deno.test("the order of a hybrid ranking does not depend on the requested length", () => {
  for (
    const [seed, words, vectors] of [[2, 1300, 200], [3, 1000, 200], [4, 1001, 7], [5, 12, 200], [
      6,
      0,
      9,
    ]] as const
  ) {
    const random = seededRandom(seed);
    const vector = sorted(randomHits(random, vectors, 1000));
    assertOneOrder(hybridRanking(randomHits(random, words), vector));
  }
});

Deno.test("a hybrid ranking contains the chunks of both rankings, each once", () => {
  const random = seededRandom(7);
  const fts = randomHits(random, 1300);
  const shared = sorted(fts).slice(1150, 1250).map(({ id }, n) => ({ id, score: 1 - n / 100 }));
  const vector = [...shared, { id: 90_001, score: -1 }, { id: 90_002, score: -2 }];
  const ranking = hybridRanking(fts, vector);
  assertEquals(ranking.total, 1302);
  assertEquals(new Set(ranking.hits().ids), new Set([...fts.ids, 90_001, 90_002]));
  assertOneOrder(ranking);
});

Deno.test("without any vector, a hybrid ranking is that of the terms", () => {
  const hits = randomHits(seededRandom(8), 300);
  assertEquals(hybridRanking(hits, []).top(400), rankingOfHits(hits).top(400));
});

Deno.test("a limit per document keeps the first chunks of each, and the total counts the kept ones", () => {
  for (const limit of [1, 2, 5, 1000]) {
    const random = seededRandom(limit);
    const fts = randomHits(random, 1300);
    const vector = sorted(randomHits(random, 200, 500));
    // A few documents contain nearly all chunks, so that those of others rank low.
    const documentOf = (chunk: number) => chunk % 10 > 0 ? chunk % 7 : chunk;
    for (const unlimited of [rankingOfHits(fts), hybridRanking(fts, vector)]) {
      const counts = new Map<number, number>();
      const expected = unlimited.top(5000).filter(({ id }) => {
        const count = (counts.get(documentOf(id)) ?? 0) + 1;
        counts.set(documentOf(id), count);
        return count <= limit;
      });
      const limited = limitPerDocument(unlimited, { limit, documentOf });
      assertEquals(limited.top(5000), expected);
      assertOneOrder(limited);
    }
  }
});

Deno.test("the mode that ran is that of the rankings, and each combines to its own order", () => {
  const terms = termRanking({ ids: Uint32Array.of(1, 2), scores: Float64Array.of(1, 2) });
  const vectors = { hits: [{ id: 3, score: 0.9 }], others: [{ id: 2, score: 0.1 }], total: 7, spread: 0.1 };
  assertEquals([executedMode({ terms }), executedMode({ vectors }), executedMode({ terms, vectors })], [
    "fts",
    "vector",
    "hybrid",
  ]);
  assertEquals(idsOf(combineRankings({ terms }).top(9)), [2, 1]);
  assertEquals(idsOf(combineRankings({ vectors }).top(9)), [3]);
  assertEquals(combineRankings({ vectors }).total, 7);
  assertEquals(idsOf(combineRankings({ terms, vectors }).top(9)), [1, 3]);
  assertEquals(idsOf(combineRankings({ terms, vectors }, { includeWeak: true }).top(9)), [1, 3, 2]);
  assertEquals(combineRankings({}).total, 0);
});
