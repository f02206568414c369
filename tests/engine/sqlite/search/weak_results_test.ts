import { assertEquals } from "@std/assert";
import type { SearchRequest } from "../../../../src/contract/mod.ts";
import { memoryCorpus, search } from "./corpus.ts";
import { searcherWith } from "./vectors.ts";

const NOTES = [
  "The rollback of a failed migration restores the last snapshot",
  ...Array.from({ length: 12 }, (_, n) => `The gardener waters fern number ${n} of the terrace`),
  "A snapshot of the terrace",
];

function notes() {
  return memoryCorpus(NOTES.map((text, n) => ({ title: `n${n}`, chunks: [text] })));
}

Deno.test("results far below the best one are counted, and returned on request", async () => {
  const { db } = notes();
  const request: SearchRequest = { query: "rollback migration snapshot terrace", top: 50 };
  const { results, total, weak_omitted, next_cursor } = await search(db, request);
  assertEquals(results.map(({ title }) => title), ["n0", "n13"]);
  assertEquals([total, weak_omitted, next_cursor], [2, 12, null]);
  const all = await search(db, { ...request, include_weak: true });
  assertEquals([all.results.length, all.total, all.weak_omitted], [14, 14, undefined]);
  assertEquals(all.results.slice(0, 2), results);
  db.close();
});

Deno.test("a query that nothing matches well keeps its weak results", async () => {
  const { db } = notes();
  const query = "Which unknown submarine cables cross the terrace near Iceland?";
  const { results, weak_omitted } = await search(db, { query, top: 50 });
  assertEquals([results.length, weak_omitted], [13, undefined]);
  db.close();
});

Deno.test("in hybrid and vector mode, results far below a close one are counted", async () => {
  const { db } = notes();
  const similarities = NOTES.map((_, n) => [n + 1, n < 3 ? 0.8 - n / 10 : 0.05] as const);
  const searcher = searcherWith(db, new Map(similarities));
  const weak = async (query: string, mode: "hybrid" | "vector") => {
    const { total, weak_omitted, results } = await searcher.search({ query, mode, top: 50 });
    return [total, results.length, weak_omitted];
  };
  assertEquals(await weak("undo an upgrade", "vector"), [3, 3, 11]);
  assertEquals(await weak("undo an upgrade", "hybrid"), [3, 3, 11]);
  const distant = searcherWith(db, new Map(similarities.map(([id, score]) => [id, score / 2] as const)));
  const { total, weak_omitted } = await distant.search({ query: "undo an upgrade", mode: "hybrid", top: 50 });
  assertEquals([total, weak_omitted], [14, undefined]);
  db.close();
});

Deno.test("a cursor is not valid for a search that includes weak results", async () => {
  const { db } = notes();
  const { next_cursor } = await search(db, { query: "snapshot terrace", top: 1 });
  let code: unknown;
  try {
    await search(db, { query: "snapshot terrace", top: 1, include_weak: true, cursor: next_cursor! });
  } catch (error) {
    code = (error as { code?: unknown }).code;
  }
  assertEquals(code, "invalid");
  db.close();
});
