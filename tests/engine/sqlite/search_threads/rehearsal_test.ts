import { DatabaseSync } from "node:sqlite";
import { assertEquals } from "@std/assert";
import { rehearse } from "../../../../src/engine/sqlite/search_threads/rehearsal.ts";
import { memoryCorpus } from "../search/corpus.ts";

/** Returns the queries of a rehearsal in a store with as many chunks. */
async function rehearsed(chunks: number, options: { searches?: number; elapsedMs?: number } = {}) {
  const { searches = Infinity, elapsedMs = 0 } = options;
  const { db } = memoryCorpus([
    { title: "t", chunks: Array.from({ length: chunks }, () => "A grey heron wades in shallow water") },
  ]);
  const queries: string[] = [];
  let time = 0;
  await rehearse(db, {
    search: (query) => {
      time += elapsedMs;
      return Promise.resolve(queries.push(query));
    },
    isIdle: () => queries.length < searches,
    now: () => time,
  });
  db.close();
  return queries;
}

Deno.test("an idle search thread rehearses with words of the store, for a short time", async () => {
  const queries = await rehearsed(300);
  assertEquals(queries.length, 12);
  assertEquals(
    new Set(queries),
    new Set([
      "heron wades shallow",
      "a grey heron wades in shallow",
      "herno wades shallow",
      '"a grey"',
    ]),
  );
  assertEquals((await rehearsed(300, { elapsedMs: 60 })).length, 3);
});

Deno.test("a rehearsal ends when the thread has other work, and small stores have none", async () => {
  assertEquals((await rehearsed(300, { searches: 2 })).length, 2);
  assertEquals(await rehearsed(10), []);
});

Deno.test("a rehearsal in a damaged store or with a failing search changes nothing", async () => {
  const db = new DatabaseSync(":memory:");
  await rehearse(db, { search: () => Promise.reject(new Error("unexpected")), isIdle: () => true });
  db.close();
});
