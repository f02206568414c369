import { assertEquals, assertThrows } from "@std/assert";
import type { DatabaseSync } from "node:sqlite";
import type { SearchRequest } from "../../../src/contract/mod.ts";
import { SearchError } from "../../../src/engine/search/mod.ts";
import { timeRange } from "../../../src/engine/search/time_range.ts";
import { memoryCorpus, search } from "./corpus.ts";

const DOCUMENTS = [
  { title: "a", chunks: ["heron"], tags: ["x"], docType: "note", createdAt: "2026-03-30T23:59:59.999Z" },
  { title: "b", chunks: ["heron"], tags: ["x", "y"], docType: "pdf", createdAt: "2026-03-31T00:00:00.000Z" },
  { title: "c", chunks: ["heron"], tags: ["y"], docType: "pdf", createdAt: "2026-03-31T23:59:59.999Z" },
  { title: "d", chunks: ["heron"], tags: [], docType: "note", createdAt: "2026-04-01T00:00:00.000Z" },
  {
    title: "e",
    chunks: ["heron"],
    tags: ["x", "y"],
    docType: "note",
    createdAt: "2025-01-01T00:00:00.000Z",
    updatedAt: "2026-03-31T12:00:00.000Z",
  },
];

const CASES: [Omit<SearchRequest, "query" | "top">, string][] = [
  [{}, "abcde"],
  [{ tags: [] }, "abcde"],
  [{ tags: ["x"] }, "abe"],
  [{ tags: ["x", "y"] }, "be"],
  [{ tags: ["x", "x"] }, "abe"],
  [{ tags: ["unknown"] }, ""],
  [{ tags: ["x", "unknown"] }, ""],
  [{ tags: ["x' OR 1=1 --"] }, ""],
  [{ doc_type: "pdf" }, "bc"],
  [{ doc_type: "docx" }, ""],
  [{ since: "2026-03-31" }, "bcde"],
  [{ until: "2026-03-31" }, "abce"],
  [{ since: "2026-03-31", until: "2026-03-31" }, "bce"],
  [{ since: "2026-03-31T12:00:00Z" }, "cde"],
  [{ since: "2026-03-31T14:00:00+02:00" }, "cde"],
  [{ since: "2026-03-31T12:00:00" }, "cde"],
  [{ since: "2026-03-31T12:00:00.001Z", until: "2026-03-31T23:59:59.999Z" }, "c"],
  [{ since: "2026-04-02", until: "2026-03-01" }, ""],
  [{ tags: ["x", "y"], doc_type: "note", since: "2026-01-01", until: "2026-12-31" }, "e"],
];

async function found(
  db: DatabaseSync,
  filter: Omit<SearchRequest, "query" | "top">,
  top = 10,
): Promise<string[]> {
  return (await search(db, { query: "heron", top, ...filter })).results.map(({ title }) => String(title))
    .sort();
}

for (const [filter, expected] of CASES) {
  Deno.test(`the filter ${JSON.stringify(filter)} lets through "${expected}"`, async () => {
    const { db } = memoryCorpus(DOCUMENTS);
    assertEquals((await found(db, filter)).join(""), expected);
    db.close();
  });
}

Deno.test("filters that let many documents through give the same as ones that let few", async () => {
  const many = Array.from({ length: 5000 }, (_, n) => ({
    title: `m${n}`,
    chunks: [n % 50 === 0 ? "heron and so on and on" : "heron heron"],
    tags: n % 50 === 0 ? ["all", "few"] : ["all"],
    docType: n % 50 === 0 ? "pdf" : "note",
  }));
  const { db } = memoryCorpus([...DOCUMENTS, ...many]);
  const expected = many.filter((_, n) => n % 50 === 0).map(({ title }) => title).slice(0, 50).sort();
  // What passes ranks below everything that does not: the search has to go on to the end.
  assertEquals(await found(db, { tags: ["few"] }, 50), expected);
  assertEquals(await found(db, { tags: ["all", "few"] }, 50), expected);
  assertEquals(await found(db, { tags: ["all"], doc_type: "pdf" }, 50), expected);
  assertEquals((await found(db, { tags: ["all"] }, 10)).length, 10);
  assertEquals(await found(db, { tags: ["all"], since: "2027-01-01" }, 10), []);
  assertEquals((await found(db, { since: "2020-01-01", doc_type: "note" }, 10)).length, 10);
  db.close();
});

Deno.test("a filter that passes what lies far down the ranking is found without a list", async () => {
  const documents = Array.from({ length: 5000 }, (_, n) => ({
    title: `m${n}`,
    chunks: [n < 2500 ? "heron heron" : "a heron among reeds"],
    tags: n < 2500 ? ["top"] : ["rest"],
  }));
  const { db } = memoryCorpus(documents);
  assertEquals(await found(db, { tags: ["rest"] }, 3), ["m2500", "m2501", "m2502"]);
  const { results } = await search(db, { query: "heron reeds", top: 3, tags: ["top"] });
  assertEquals(results.map(({ title }) => title), ["m0", "m1", "m2"]);
  db.close();
});

Deno.test("times that are none are refused by name", async () => {
  for (const text of ["yesterday", "2026-13-01", "2026-03-31T25:00:00Z", ""]) {
    assertThrows(() => timeRange(text, undefined), SearchError, "since must be a date");
    assertThrows(() => timeRange(undefined, text), SearchError, "until must be a date");
  }
});
