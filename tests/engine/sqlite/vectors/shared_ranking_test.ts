import { assertEquals } from "@std/assert";
import { SharedRanking } from "../../../../src/engine/sqlite/vectors/mod.ts";

/** Longer than any test takes: a wait that nothing ends fails its test by then. */
const LONG_MS = 60_000;

const QUERY = Float32Array.of(0.6, 0.8);
const NEAREST = {
  ids: Uint32Array.of(5, 3),
  scores: Float32Array.of(0.75, 0.5),
  setId: 2,
  spread: 0.125,
  embedded: 9,
  passing: 8,
};
const TOTALS = { embedded: 9, refused: 1 };

function shared() {
  const memory = SharedRanking.allocate();
  return { memory, waiting: new SharedRanking(memory), writing: new SharedRanking(memory) };
}

Deno.test("a ranking in shared memory is that which was written", () => {
  const { memory, waiting, writing } = shared();
  writing.write({ memory, id: -1, totals: TOTALS }, QUERY, NEAREST);
  const { ids, scores, setId, spread, passing: total } = NEAREST;
  assertEquals(waiting.wait(-1, LONG_MS), {
    ...{ ids, scores, spread, total, totals: TOTALS },
    query: { vector: QUERY, setId },
  });
  assertEquals([writing.isTaken(-1), writing.isTaken(1)], [true, false]);
  writing.write({ memory, id: 2, totals: TOTALS }, QUERY, { ...NEAREST, spread: undefined });
  assertEquals(waiting.take(2)?.spread, undefined);
});

Deno.test("the ranking of an earlier search is not taken", () => {
  const { memory, waiting, writing } = shared();
  writing.write({ memory, id: 1, totals: TOTALS }, QUERY, NEAREST);
  assertEquals([waiting.take(2), waiting.wait(2, 1), writing.isTaken(2)], [undefined, undefined, false]);
});

Deno.test("a ranking that another one overwrites is not taken", () => {
  const { memory, waiting, writing } = shared();
  writing.write({ memory, id: 1, totals: TOTALS }, QUERY, NEAREST);
  const taken: unknown[] = [];
  const scores = Float32Array.of(0.25, 0.125);
  // Read after the ids have been written.
  Object.defineProperty(scores, "length", { get: () => (taken.push(waiting.take(1)), 2) });
  writing.write({ memory, id: 2, totals: TOTALS }, QUERY, { ...NEAREST, ids: Uint32Array.of(7, 8), scores });
  assertEquals(taken, [undefined]);
  assertEquals([writing.isTaken(1), waiting.take(2)?.ids], [false, Uint32Array.of(7, 8)]);
});

Deno.test("a ranking that is too long for shared memory is not written", () => {
  const { memory, waiting, writing } = shared();
  const ids = Uint32Array.from({ length: 1025 }, (_, at) => at);
  writing.write({ memory, id: 1, totals: TOTALS }, QUERY, { ...NEAREST, ids, scores: new Float32Array(ids) });
  writing.write({ memory, id: 1, totals: TOTALS }, new Float32Array(4097), NEAREST);
  assertEquals(waiting.take(1), undefined);
});

Deno.test("an interruption ends each wait until the next reset", () => {
  const { memory, waiting, writing } = shared();
  writing.interrupt();
  assertEquals([waiting.wait(1, LONG_MS), waiting.wait(1, LONG_MS)], [undefined, undefined]);
  writing.reset();
  writing.write({ memory, id: 1, totals: TOTALS }, QUERY, NEAREST);
  assertEquals(waiting.wait(1, LONG_MS)?.ids, NEAREST.ids);
});

Deno.test("a ranking that another thread writes ends the wait", async () => {
  const { memory, waiting } = shared();
  const module = new URL("../../../../src/engine/sqlite/vectors/shared_ranking.ts", import.meta.url);
  const source = `import { SharedRanking } from ${JSON.stringify(module.href)};
    self.onmessage = ({ data: { target, query, nearest } }) => {
      new SharedRanking(target.memory).write(target, query, nearest);
    };
    self.postMessage("ready");`;
  const worker = new Worker(`data:application/javascript,${encodeURIComponent(source)}`, { type: "module" });
  const message = () => new Promise((resolve) => worker.onmessage = ({ data }) => resolve(data));
  await message();
  worker.postMessage({ target: { memory, id: 1, totals: TOTALS }, query: QUERY, nearest: NEAREST });
  assertEquals(waiting.wait(1, LONG_MS)?.ids, NEAREST.ids);
  worker.terminate();
});
