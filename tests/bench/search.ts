// deno-lint-ignore-file no-console -- a script that prints its table
/**
 * How long a search takes in 100,000 chunks: `deno run -A tests/bench/search.ts [CHUNKS]`.
 *
 * Runs the search function itself on a database in a temporary directory; the HTTP layers are measured elsewhere. Cold
 * means that another connection has just written: nothing that the search remembers counts any more.
 */
import { DatabaseSync } from "node:sqlite";
import { Searcher } from "../../src/engine/search/mod.ts";
import { createSchema, writeCorpus } from "../engine/search/corpus.ts";
import { syntheticText } from "./corpus.ts";

const chunks = Number(Deno.args[0] ?? 100_000);
const QUERIES = 300;
const dir = await Deno.makeTempDir({ prefix: "kb-bench-" });
try {
  const writer = new DatabaseSync(`${dir}/kb.db`);
  writer.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -200000");
  createSchema(writer);
  const text = syntheticText(1);
  const started = performance.now();
  writeCorpus(writer, text.documents(chunks));
  console.log(`${chunks} chunks written in ${((performance.now() - started) / 1000).toFixed(1)} s`);

  // As the engine opens it for reading.
  const db = new DatabaseSync(`${dir}/kb.db`, { readOnly: true });
  db.exec("PRAGMA query_only = ON; PRAGMA cache_size = -16384; PRAGMA mmap_size = 1073741824");
  const searcher = new Searcher({ db });
  const keywords = Array.from({ length: QUERIES }, text.keywords);
  const questions = Array.from({ length: QUERIES }, text.question);
  const first = performance.now();
  await searcher.search({ query: keywords[0] ?? "", top: 10 });
  console.log(`first search ${(performance.now() - first).toFixed(1)} ms`);

  const touch = writer.prepare("UPDATE documents SET size_bytes = size_bytes + 1 WHERE id = 1");
  const filters = [
    { name: "", filter: {} },
    { name: ", tag of half of all documents", filter: { tags: ["collection:memory"] } },
    { name: ", tag of 1 % of the documents", filter: { tags: ["topic-7"] } },
    { name: ", tag of a handful", filter: { tags: ["rare"] } },
    { name: ", type and time", filter: { doc_type: "markdown", since: "2025-06-01" } },
  ];
  const rows: Record<string, Record<string, string>> = {};
  for (const [kind, queries] of [["3 keywords", keywords], ["question of 5-12 words", questions]] as const) {
    for (const { name, filter } of filters) {
      for (const cold of name === "" ? [true, false] : [false]) {
        const times: number[] = [];
        for (const query of queries) {
          if (cold) touch.run();
          const start = performance.now();
          await searcher.search({ query, top: 10, ...filter });
          times.push(performance.now() - start);
        }
        times.sort((a, b) => a - b);
        const at = (share: number) =>
          (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(2);
        rows[`${kind}${name}${name === "" ? (cold ? ", cold" : ", warm") : ""}`] = {
          "p50 ms": at(0.5),
          "p95 ms": at(0.95),
          "p99 ms": at(0.99),
          "max ms": at(1),
        };
      }
    }
  }
  console.table(rows);
  db.close();
  writer.close();
} finally {
  await Deno.remove(dir, { recursive: true });
}
