import { assert, assertEquals, assertThrows } from "@std/assert";
import { inverseDocumentFrequency, termFrequencyScore } from "../../../../src/engine/sqlite/index/bm25.ts";
import { ChunkMetadata, CHUNKS_PER_PAGE } from "../../../../src/engine/sqlite/index/chunk_metadata.ts";
import { IndexMemory } from "../../../../src/engine/sqlite/index/index_memory.ts";
import { IndexDamagedError } from "../../../../src/engine/sqlite/index/errors.ts";
import type { Postings } from "../../../../src/engine/sqlite/index/postings.ts";
import { PostingsCache } from "../../../../src/engine/sqlite/index/postings_cache.ts";
import { countBelow, type Hits, topIndexes } from "../../../../src/engine/search/mod.ts";
import { ScoreAccumulator } from "../../../../src/engine/sqlite/index/score_accumulator.ts";
import { seededRandom } from "../../../support/random.ts";
import { memoryCorpus, writeCorpus } from "../search/corpus.ts";
import { TestLengths } from "./lengths.ts";

/** An accumulator, and posting lists in its memory. */
class Scores extends ScoreAccumulator {
  readonly memory: IndexMemory;
  readonly #cache: PostingsCache;
  #lists = 0;

  constructor(chunks: ChunkMetadata) {
    const memory = new IndexMemory();
    memory.update(chunks);
    super(memory);
    this.memory = memory;
    this.#cache = new PostingsCache(memory);
    this.#cache.clear();
  }

  postings(...entries: [id: number, count: number][]): Postings {
    return this.#cache.add(`${this.#lists++}`, () => {
      const { bytes, scratch, maxPostings } = this.memory;
      new Uint32Array(bytes.buffer, scratch).set(entries.map(([id]) => id));
      bytes.set(entries.map(([, count]) => count), scratch + 4 * maxPostings);
      return entries.length;
    });
  }
}

/** Returns an accumulator for chunks 1 to 9 and `farIds`, of 2 words each. */
function scoresOver(...farIds: number[]): Scores {
  const { db } = memoryCorpus([{ title: "t", chunks: Array.from({ length: 9 }, () => "x") }]);
  for (const id of farIds) {
    db.exec(`UPDATE sqlite_sequence SET seq = ${id - 1} WHERE name = 'chunks'`);
    writeCorpus(db, [{ title: "t", chunks: ["x"] }]);
  }
  const chunks = new ChunkMetadata(db);
  chunks.refresh();
  db.close();
  return new Scores(chunks);
}

const byId = ({ ids, scores }: Hits) =>
  Object.fromEntries([...ids].map((id, at) => [id, scores[at] as number]));
/** Score of a term frequency in a chunk of mean length. */
const scoreOf = (frequency: number) => termFrequencyScore(frequency, 2, 2);

Deno.test("the scores of several terms in a chunk are added", () => {
  const far = 5 * CHUNKS_PER_PAGE + 3;
  const scores = scoresOver(CHUNKS_PER_PAGE, far);
  scores.add(scores.postings([2, 1], [5, 3], [far, 1]), 10);
  scores.add(scores.postings([far, 2], [CHUNKS_PER_PAGE, 1], [2, 1]), 100);
  assertEquals(byId(scores.drain(() => true)), {
    2: scoreOf(1) * 110,
    5: scoreOf(3) * 10,
    [far]: scoreOf(1) * 10 + scoreOf(2) * 100,
    [CHUNKS_PER_PAGE]: scoreOf(1) * 100,
  });
});

Deno.test("a posting list may be in any order, with frequencies of up to 255", () => {
  const far = 2 * CHUNKS_PER_PAGE + 7;
  const scores = scoresOver(CHUNKS_PER_PAGE, far);
  const frequencies: [number, number][] = [
    [far, 255],
    [4, 14],
    [CHUNKS_PER_PAGE, 16],
    [2, 200],
    [1, 15],
    [9, 1],
    [3, 17],
  ];
  const list = scores.postings(...frequencies);
  scores.add(list, 1);
  const expected = Object.fromEntries(frequencies.map(([id, frequency]) => [id, scoreOf(frequency)]));
  assertEquals(byId(scores.drain()), expected);
  scores.addBest(scores.postings(), [{ postings: list, weight: 1 }], () => 1);
  assertEquals(byId(scores.drain()), expected, "as an alternative");
  scores.addBest(list, [{ postings: scores.postings([5, 1]), weight: 1 }], () => 1);
  assertEquals(byId(scores.drain()), { ...expected, 5: scoreOf(1) }, "with an alternative");
});

Deno.test("a block with more postings than ids is damaged", () => {
  const scores = scoresOver();
  const rows = Array.from({ length: CHUNKS_PER_PAGE + 1 }, (): [number, number] => [1, 1]);
  assertThrows(() => scores.postings(...rows), IndexDamagedError);
});

Deno.test("the kernel selects and counts hits as TypeScript does, with equal scores", () => {
  const count = 2 * CHUNKS_PER_PAGE + 5;
  const { db } = memoryCorpus([{ title: "t", chunks: Array.from({ length: count }, () => "x") }]);
  const chunks = new ChunkMetadata(db);
  chunks.refresh();
  db.close();
  const scores = new Scores(chunks);
  const { int } = seededRandom(9);
  for (const [share, max] of [[1, 255], [2, 4], [30, 20], [5000, 3], [9000, 1]] as const) {
    const entries = Array.from({ length: count }, (_, n): [number, number] => [n + 1, 1 + int(max)]);
    scores.add(scores.postings(...entries.filter(() => int(share) === 0)), 1);
    const hits = scores.drain();
    const plain = { ids: hits.ids.slice(), scores: hits.scores.slice() };
    for (const top of [0, 1, 2, 24, 64, 65, count + 1]) {
      assertEquals(topIndexes(hits, top), topIndexes(plain, top), `${top} of ${plain.ids.length}`);
    }
    for (const limit of [0, 1, scoreOf(3), scoreOf(9), Infinity]) {
      assertEquals(countBelow(hits, limit), countBelow(plain, limit), `${limit} of ${plain.ids.length}`);
    }
  }
});

Deno.test("hits remain until they are released, although another search uses the memory", () => {
  const scores = scoresOver();
  const chunks = new TestLengths();
  chunks.set([1, 2, 3]);
  const hitsOf = (...entries: [number, number][]) => {
    scores.add(scores.postings(...entries), 1);
    return scores.drain((id) => id !== 3);
  };
  const first = hitsOf([1, 1], [2, 1], [3, 1]);
  assertEquals(first.ids.buffer, scores.memory.bytes.buffer, "not copied");
  const second = hitsOf([5, 9]);
  assertEquals([...first.ids], [1, 2]);
  assertEquals([byId(first), [...first.weights]], [{ 1: scoreOf(1), 2: scoreOf(1) }, [1, 1]]);
  // Moves all data per chunk.
  chunks.set([1, 99 * CHUNKS_PER_PAGE]);
  scores.memory.update(chunks);
  assertEquals(byId(second), { 5: scoreOf(9) });
  const third = hitsOf([1, 1]);
  scores.release(third);
  hitsOf([2, 1]);
  assertEquals([...third.ids], [2], "released, and overwritten");
});

Deno.test("scores that were counted can be added to", () => {
  const scores = scoresOver();
  scores.add(scores.postings([1, 1], [2, 1]), 1);
  assertEquals([scores.count, scores.count], [2, 2]);
  scores.add(scores.postings([2, 1], [3, 1]), 1);
  assertEquals(byId(scores.drain()), { 1: scoreOf(1), 2: 2 * scoreOf(1), 3: scoreOf(1) });
  assertEquals(scores.count, 0);
});

Deno.test("chunks with a score are counted over all posting lists", () => {
  const scores = scoresOver();
  scores.add(scores.postings([1, 1], [2, 1]), 1);
  scores.add(scores.postings([2, 1], [3, 1]), 1);
  assertEquals([2, 3, 4].map((count) => scores.hasAtLeast(count)), [true, true, false]);
});

Deno.test("the weights of the terms in a chunk are added, whatever their frequency", () => {
  const scores = scoresOver();
  scores.add(scores.postings([1, 9], [2, 1]), 10);
  scores.add(scores.postings([2, 3]), 5);
  scores.add(scores.postings(), 2);
  scores.addBest(
    scores.postings([2, 1], [3, 1]),
    [{ postings: scores.postings([2, 2]), weight: 0.8 }],
    () => 4,
  );
  assertEquals(scores.totalWeight, 21);
  const { ids, weights } = scores.drain((id) => id !== 3);
  assertEquals([[...ids], [...weights]], [[1, 2], [10, 19]]);
  assertEquals(scores.totalWeight, 0);
  scores.add(scores.postings([3, 1]), 1);
  assertEquals([...scores.drain(() => true).weights], [1], "reset");
});

Deno.test("of the alternatives in a chunk, the one with the highest score counts", () => {
  const scores = scoresOver();
  const own = scores.postings([1, 1], [2, 1], [3, 4]);
  const others = [
    { postings: scores.postings([2, 9], [3, 1], [5, 1]), weight: 0.8 },
    { postings: scores.postings([5, 2], [6, 1]), weight: 0.4, isLoose: true },
  ];
  scores.add(scores.postings([6, 1], [7, 1]), 100);
  scores.addBest(own, others, () => 10);
  assertEquals(byId(scores.drain()), {
    1: 10 * scoreOf(1),
    2: 10 * (0.8 * scoreOf(9)),
    3: 10 * scoreOf(4),
    5: 10 * Math.max(0.8 * scoreOf(1), 0.4 * scoreOf(2)),
    6: 100 * scoreOf(1) + 10 * (0.4 * scoreOf(1)),
    7: 100 * scoreOf(1),
  });
  scores.addBest(
    scores.postings([2, 1], [9, 1]),
    [{ postings: scores.postings([9, 1]), weight: 0.5 }],
    () => 1,
  );
  assertEquals(byId(scores.drain()), { 2: scoreOf(1), 9: scoreOf(1) }, "reset");
});

Deno.test("a chunk with several alternatives counts once, and with loose ones only if there are no others", () => {
  const scores = scoresOver();
  const frequencyOf = (own: number[], ...others: [ids: number[], isLoose: boolean][]) => {
    const listOf = (ids: number[]) => scores.postings(...ids.map((id): [number, number] => [id, 1]));
    let frequency = 0;
    scores.addBest(
      listOf(own),
      others.map(([ids, isLoose]) => ({ postings: listOf(ids), weight: 0.5, isLoose })),
      (documentFrequency) => frequency = documentFrequency,
    );
    scores.drain();
    return frequency;
  };
  const eight = [1, 2, 3, 4, 5, 6, 7, 8];
  assertEquals(frequencyOf(eight, [[8], false]), 8, "a few in an ascending list");
  assertEquals(frequencyOf(eight.slice(1), [[1], false]), 8);
  assertEquals(frequencyOf([8, 2, 3, 4, 5, 6, 7, 1], [[8], false]), 8, "another order");
  assertEquals(frequencyOf([1, 2], [[2, 3], false], [[3, 4], false]), 4);
  assertEquals(frequencyOf([1, 2], [[3, 4], true], [[2, 5], false]), 3);
  assertEquals(frequencyOf([], [[3, 4], true], [[4, 5, 6], true]), 2);
  assertEquals(frequencyOf([], [[3, 4], true], [[5], false]), 1);
});

Deno.test("alternatives of an interrupted search are forgotten", () => {
  const scores = scoresOver();
  const failing: Postings = {
    count: 1,
    size: 2,
    address: 0,
    load() {
      throw new Error("interrupted");
    },
  };
  const others = [{ postings: scores.postings([2, 9], [4, 1]), weight: 0.8 }, {
    postings: failing,
    weight: 1,
  }];
  assertThrows(() => scores.addBest(scores.postings([2, 1]), others, () => 1), Error, "interrupted");
  scores.reset();
  scores.addBest(scores.postings([2, 1]), [{ postings: scores.postings([4, 1]), weight: 1 }], () => 1);
  assertEquals(byId(scores.drain()), { 2: scoreOf(1), 4: scoreOf(1) });
});

Deno.test("draining resets all scores, including those of chunks that are not allowed", () => {
  const scores = scoresOver();
  scores.add(scores.postings([1, 1], [2, 1], [3, 1]), 1);
  assertEquals(Object.keys(byId(scores.drain((id) => id === 2))), ["2"]);
  assertEquals(byId(scores.drain(() => true)), {});
  scores.add(scores.postings([3, 1]), 1);
  assertEquals(byId(scores.drain(() => true)), { 3: scoreOf(1) });
});

Deno.test("more chunks than a page may have a score", () => {
  const count = 3 * CHUNKS_PER_PAGE + 1;
  const { db } = memoryCorpus([{ title: "t", chunks: Array.from({ length: count }, () => "x") }]);
  const chunks = new ChunkMetadata(db);
  chunks.refresh();
  const scores = new Scores(chunks);
  const all = scores.postings(...Array.from({ length: count }, (_, n): [number, number] => [n + 1, 1]));
  scores.add(all, 1);
  scores.add(all, 1);
  const { ids } = scores.drain(() => true);
  assertEquals([...ids], Array.from({ length: count }, (_, n) => n + 1), "in order");
  db.close();
});

Deno.test("rare terms weigh more, and every term has a positive weight", () => {
  const weights = [0, 1, 10, 50, 99, 100].map((matches) => inverseDocumentFrequency(matches, 100));
  assertEquals(weights, [...weights].sort((a, b) => b - a));
  assert(weights.every((weight) => weight > 0));
  assert(inverseDocumentFrequency(5, 0) >= 0);
});

Deno.test("repetition has diminishing returns, and counts more in short chunks", () => {
  const repeated = [1, 2, 3, 255].map((count) => termFrequencyScore(count, 100, 100));
  const gains = repeated.map((value, at) => value - (repeated[at - 1] ?? 0));
  assertEquals(gains.slice(0, 3), gains.slice(0, 3).sort((a, b) => b - a));
  assert(repeated.every((value) => value < 2.2));
  assert(termFrequencyScore(1, 10, 100) > termFrequencyScore(1, 100, 100));
  assertEquals(termFrequencyScore(1, 100, 100), 1);
});
