import { assert, assertEquals } from "@std/assert";
import { contribution, inverseFrequency } from "../../../../src/engine/sqlite/index/bm25.ts";
import { ChunkTable, PAGE } from "../../../../src/engine/sqlite/index/chunk_table.ts";
import type { Postings } from "../../../../src/engine/sqlite/index/postings.ts";
import type { Hits } from "../../../../src/engine/search/mod.ts";
import { Scores } from "../../../../src/engine/sqlite/index/scores.ts";
import { memoryCorpus, writeCorpus } from "../search/corpus.ts";

/** Scores over chunks of 2 words each, with these ids and all up to 9. */
function scoresOver(...farIds: number[]): Scores {
  const { db } = memoryCorpus([{ title: "t", chunks: Array.from({ length: 9 }, () => "x") }]);
  for (const id of farIds) {
    db.exec(`UPDATE sqlite_sequence SET seq = ${id - 1} WHERE name = 'chunks'`);
    writeCorpus(db, [{ title: "t", chunks: ["x"] }]);
  }
  const table = new ChunkTable(db);
  table.refresh();
  db.close();
  return new Scores(table);
}

const postings = (...entries: [id: number, count: number][]): Postings => ({
  ids: Uint32Array.from(entries, ([id]) => id),
  counts: Uint8Array.from(entries, ([, count]) => count),
});

const listed = ({ ids, scores }: Hits) =>
  Object.fromEntries([...ids].map((id, at) => [id, scores[at] as number]));
/** What a count is worth in a chunk of mean length. */
const worth = (count: number) => contribution(count, 2, 2);

Deno.test("what several words are worth in a chunk is added up", () => {
  const far = 5 * PAGE + 3;
  const scores = scoresOver(PAGE, far);
  scores.add(postings([2, 1], [5, 3], [far, 1]), 10);
  scores.add(postings([far, 2], [PAGE, 1], [2, 1]), 100);
  assertEquals(listed(scores.take(() => true)), {
    2: worth(1) * 110,
    5: worth(3) * 10,
    [far]: worth(1) * 10 + worth(2) * 100,
    [PAGE]: worth(1) * 100,
  });
});

Deno.test("taking forgets all, of chunks too that do not pass", () => {
  const scores = scoresOver();
  scores.add(postings([1, 1], [2, 1], [3, 1]), 1);
  assertEquals(Object.keys(listed(scores.take((id) => id === 2))), ["2"]);
  assertEquals(listed(scores.take(() => true)), {});
  scores.add(postings([3, 1]), 1);
  assertEquals(listed(scores.take(() => true)), { 3: worth(1) });
});

Deno.test("any number of chunks may have a score", () => {
  const count = 3 * PAGE + 1;
  const { db } = memoryCorpus([{ title: "t", chunks: Array.from({ length: count }, () => "x") }]);
  const table = new ChunkTable(db);
  table.refresh();
  const scores = new Scores(table);
  const all = postings(...Array.from({ length: count }, (_, n): [number, number] => [n + 1, 1]));
  scores.add(all, 1);
  scores.add(all, 1);
  const { ids } = scores.take(() => true);
  assertEquals([ids.length, new Set(ids).size], [count, count]);
  db.close();
});

Deno.test("rare words weigh more, and none weighs nothing", () => {
  const weights = [0, 1, 10, 50, 99, 100].map((matches) => inverseFrequency(matches, 100));
  assertEquals(weights, [...weights].sort((a, b) => b - a));
  assert(weights.every((weight) => weight > 0));
  assert(inverseFrequency(5, 0) >= 0);
});

Deno.test("repetition counts less and less, and more in short chunks", () => {
  const repeated = [1, 2, 3, 255].map((count) => contribution(count, 100, 100));
  const gains = repeated.map((value, at) => value - (repeated[at - 1] ?? 0));
  assertEquals(gains.slice(0, 3), gains.slice(0, 3).sort((a, b) => b - a));
  assert(repeated.every((value) => value < 2.2));
  assert(contribution(1, 10, 100) > contribution(1, 100, 100));
  assertEquals(contribution(1, 100, 100), 1);
});
