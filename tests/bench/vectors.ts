// deno-lint-ignore-file no-console -- a script that prints its table
/**
 * Measures the latency of vector searches, including the messages to and from the thread:
 * `deno run -A tests/bench/vectors.ts [VECTORS] [DIMENSIONS]`.
 *
 * The vectors are random unit vectors. They are all about equally distant, so the number of candidates to
 * rescore with full precision is at its maximum.
 */
import { vectorThread } from "../../src/engine/worker.ts";
import { VectorIndex, type VectorQuery } from "../../src/engine/sqlite/vectors/mod.ts";
import { bitset, IDENTITY, vectorMaker, VectorStore } from "../engine/sqlite/vectors/vector_store.ts";
import { latencyColumns } from "./measure.ts";

const vectors = Number(Deno.args[0] ?? 100_000);
const dimensions = Number(Deno.args[1] ?? 384);
const MIB = 2 ** 20;

await using store = await VectorStore.open();
const next = vectorMaker(1, dimensions);
const set = store.addSet({ dimensions });
const written = performance.now();
store.put(set, Array.from({ length: vectors }, (_, i) => [i + 1, next()] as const));
console.log(`${vectors} × ${dimensions} written in ${((performance.now() - written) / 1000).toFixed(1)} s`);

const share = (of: number) =>
  bitset(Array.from({ length: vectors / of }, (_, i) => of * i + 1), (vectors >> 3) + 1);
const filters: Record<string, { allowed?: Uint8Array }> = {
  "all": {},
  "50 % allowed": { allowed: share(2) },
  "1 % allowed": { allowed: share(100) },
};

async function measure(index: VectorIndex, search: Omit<VectorQuery, "query">, runs: number) {
  const times: number[] = [];
  for (let i = 0; i < runs; i++) {
    const query = next();
    const start = performance.now();
    await index.search({ query, ...search });
    times.push(performance.now() - start);
  }
  return latencyColumns(times);
}

const rows: Record<string, Record<string, string>> = {};
for (
  const { memoryBytes, name, runs } of [
    { memoryBytes: 2 ** 32, name: "in memory", runs: 300 },
    { memoryBytes: 0, name: "from disk", runs: 5 },
  ]
) {
  await using index = VectorIndex.start({
    dataDir: store.dir.path,
    identity: IDENTITY,
    memoryBytes,
    spawn: vectorThread().vectors,
  });
  const start = performance.now();
  await index.search({ query: next(), top: 1 });
  const loaded = performance.now() - start;
  const { bytes } = index.memory();
  console.log(`${name}: first search after ${loaded.toFixed(0)} ms, ${(bytes / MIB).toFixed(1)} MiB`);
  await measure(index, { top: 10 }, Math.min(runs, 50));
  for (const [filter, allowed] of Object.entries(filters)) {
    for (const top of [10, 100, 200]) {
      rows[`${name}, ${filter}, top ${top}`] = await measure(index, { top, ...allowed }, runs);
    }
  }
}
console.table(rows);
