import { assert, assertEquals } from "@std/assert";
import type { DatabaseSync } from "node:sqlite";
import type { SearchRequest, SearchResponse } from "../../../../src/contract/mod.ts";
import { DocumentFilterCache } from "../../../../src/engine/sqlite/search/document_filter_cache.ts";
import { seededRandom } from "../../../support/random.ts";
import { type CorpusDocument, memoryCorpus, search, writeCorpus } from "./corpus.ts";
import { searcherWith } from "./vectors.ts";

const DOCUMENTS = [
  {
    title: "a",
    chunks: ["heron"],
    sourcePath: "docs/a.md",
    tags: ["x"],
    docType: "note",
    createdAt: "2026-03-30T23:59:59.999Z",
  },
  {
    title: "b",
    chunks: ["heron"],
    tags: ["x", "y"],
    docType: "pdf",
    createdAt: "2026-03-31T00:00:00.000Z",
    sourcePath: "docs/b.md",
  },
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
  [{ tags_any: ["x"] }, "abe"],
  [{ tags_any: ["x", "y"] }, "abce"],
  [{ tags_any: ["y", "unknown"] }, "bce"],
  [{ tags_any: ["unknown"] }, ""],
  [{ tags_any: [] }, "abcde"],
  [{ tags_none: ["x"] }, "cd"],
  [{ tags_none: ["x", "y"] }, "d"],
  [{ tags_none: ["unknown"] }, "abcde"],
  [{ tags_none: ["x", "unknown"] }, "cd"],
  [{ tags_none: [] }, "abcde"],
  [{ tags: ["x"], tags_none: ["y"] }, "a"],
  [{ tags: ["x"], tags_none: ["x"] }, ""],
  [{ tags: ["y"], tags_any: ["x", "unknown"] }, "be"],
  [{ doc_type: "pdf" }, "bc"],
  [{ doc_type: "docx" }, ""],
  [{ document_id: 2 }, "b"],
  [{ document_id: "2" }, "b"],
  [{ document_id: "2.0" }, ""],
  [{ document_id: 99 }, ""],
  [{ document_id: 2, tags_none: ["y"] }, ""],
  [{ source_path_prefix: "docs/" }, "ab"],
  [{ source_path_prefix: "docs/b" }, "b"],
  [{ metadata: { status: "done" } }, "c"],
  [{ metadata: { status: "done" }, source_path_prefix: "docs/" }, ""],
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
  Deno.test(`the filter ${JSON.stringify(filter)} allows "${expected}"`, async () => {
    const { db } = memoryCorpus(DOCUMENTS);
    db.exec(`UPDATE documents SET metadata = '{"status":"done"}' WHERE title = 'c'`);
    assertEquals((await found(db, filter)).join(""), expected);
    db.close();
  });
}

Deno.test("filters that allow many documents give the same results as filters that allow few", async () => {
  const many = Array.from({ length: 5000 }, (_, n) => ({
    title: `m${n}`,
    chunks: [n % 50 === 0 ? `heron and so on and on ${n}` : "heron heron"],
    tags: n % 50 === 0 ? ["all", "few"] : ["all"],
    docType: n % 50 === 0 ? "pdf" : "note",
  }));
  const { db } = memoryCorpus([...DOCUMENTS, ...many]);
  const expected = many.filter((_, n) => n % 50 === 0).map(({ title }) => title).slice(0, 50).sort();
  // Allowed documents rank below all others, so that the search has to reach the end.
  assertEquals(await found(db, { tags: ["few"] }, 50), expected);
  assertEquals(await found(db, { tags: ["all", "few"] }, 50), expected);
  assertEquals(await found(db, { tags: ["all"], doc_type: "pdf" }, 50), expected);
  assertEquals((await found(db, { tags: ["all"] }, 10)).length, 10);
  assertEquals(await found(db, { tags: ["all"], since: "2027-01-01" }, 10), []);
  assertEquals((await found(db, { since: "2020-01-01", doc_type: "note" }, 10)).length, 10);
  db.close();
});

Deno.test("a filter that allows only low-ranked documents returns them in order", async () => {
  const documents = Array.from({ length: 5000 }, (_, n) => ({
    title: `m${n}`,
    chunks: [n < 2500 ? "heron heron" : `a heron in reeds ${n}`],
    tags: n < 2500 ? ["top"] : ["rest"],
  }));
  const { db } = memoryCorpus(documents);
  assertEquals(await found(db, { tags: ["rest"] }, 3), ["m2500", "m2501", "m2502"]);
  const { results } = await search(db, { query: "heron reeds", top: 3, tags: ["top"] });
  assertEquals(results.map(({ title }) => title), ["m0", "m1", "m2"]);
  db.close();
});

const TAGS = [
  "x",
  "y",
  "z",
  "Ünïcode",
  "collection:memory",
  "collection:documents",
  "collection:workspace",
  "it's",
];
const TYPES = ["note", "pdf", "html"];

type Filter = Omit<SearchRequest, "query">;

/** Evaluates a filter by its definition. */
function passes({ tags = [], docType, createdAt = "", updatedAt }: CorpusDocument, filter: Filter): boolean {
  const has = (tag: string) => tags.includes(tag);
  const time = Date.parse(updatedAt ?? createdAt);
  const { since, until } = filter;
  return (filter.tags ?? []).every(has) &&
    (!filter.tags_any?.length || filter.tags_any.some(has)) &&
    !(filter.tags_none ?? []).some(has) &&
    (!filter.collections?.length || filter.collections.some((name) => has(`collection:${name}`))) &&
    (filter.doc_type === undefined || docType === filter.doc_type) &&
    (since === undefined || time >= Date.parse(since)) &&
    (until === undefined || time <= Date.parse(until));
}

Deno.test("random combinations of filters match their definition, in every mode", async () => {
  const { int, pick } = seededRandom(11);
  const some = (values: readonly string[], max: number) =>
    Array.from({ length: int(max + 1) }, () => pick(values)).filter((tag, n, all) => all.indexOf(tag) === n);
  const time = () => new Date(Date.UTC(2026, int(4), int(28) + 1, int(24))).toISOString();
  const documents = Array.from({ length: 300 }, (_, n): CorpusDocument => ({
    title: `t${n}`,
    chunks: ["heron"],
    tags: some(TAGS, 5),
    docType: pick(TYPES),
    createdAt: time(),
    ...(int(3) === 0 ? { updatedAt: time() } : {}),
  }));
  const { db } = memoryCorpus(documents);
  const searcher = searcherWith(db, new Map(documents.map((_, n) => [n + 1, int(100) / 100])));
  const maybe = <T>(value: T): T | undefined => int(3) === 0 ? value : undefined;
  let passed = 0;
  for (let round = 0; round < 120; round++) {
    const filter: Filter = {
      tags: maybe(some([...TAGS, "unknown"], 2)),
      tags_any: maybe(some([...TAGS, "unknown"], 3)),
      tags_none: maybe(some([...TAGS, "unknown"], 2)),
      collections: maybe(some(["memory", "documents", "workspace", "unknown"], 3)),
      doc_type: maybe(pick([...TYPES, "docx"])),
      since: maybe(time()),
      until: maybe(time()),
    };
    const expected = documents.filter((document) => passes(document, filter)).map(({ title }) => title)
      .sort();
    for (const mode of ["fts", "vector", "hybrid"] as const) {
      const titles: string[] = [];
      let next: SearchRequest | undefined = { query: "heron", mode, top: 50, include_weak: true, ...filter };
      while (next) {
        const page: SearchResponse = await searcher.search(next);
        assertEquals(page.total, expected.length, JSON.stringify(filter));
        titles.push(...page.results.map(({ title }) => String(title)));
        next = page.next_cursor ? { ...next, cursor: page.next_cursor } : undefined;
      }
      assertEquals(titles.sort(), expected, `${mode} ${JSON.stringify(filter)}`);
    }
    passed += expected.length;
  }
  assert(passed > 1000, String(passed));
  db.close();
});

Deno.test("the response reports the normalized filters, and no others", async () => {
  const { db } = memoryCorpus(DOCUMENTS);
  const applied = async (filter: Filter) => (await search(db, { query: "heron", ...filter })).filters_applied;
  assertEquals(await applied({}), {});
  assertEquals(await applied({ tags: [], tags_any: [], tags_none: [], collections: [] }), {});
  assertEquals(
    await applied({
      tags: ["x", "x"],
      tags_any: ["x", "unknown"],
      tags_none: ["z"],
      collections: ["memory"],
      doc_type: "note",
      since: "2026-03-31",
      until: "2026-03-31",
      per_document: 2,
      top: 3,
      detail: "snippet",
    }),
    {
      tags: ["x"],
      tags_any: ["x", "unknown"],
      tags_none: ["z"],
      collections: ["memory"],
      doc_type: "note",
      since: "2026-03-31T00:00:00.000Z",
      until: "2026-03-31T23:59:59.999Z",
      per_document: 2,
    },
  );
  assertEquals(await applied({ since: "2026-03-31T14:00:00+02:00" }), { since: "2026-03-31T12:00:00.000Z" });
  assertEquals(await applied({ until: "2026-03-31T14:00:00" }), { until: "2026-03-31T14:00:00.000Z" });
  db.close();
});

Deno.test("a filter reflects documents written, tagged and modified after its last use", async () => {
  const { db } = memoryCorpus(DOCUMENTS);
  const filter = { tags: ["x"], tags_none: ["z"] };
  assertEquals((await found(db, filter)).join(""), "abe");
  writeCorpus(db, [{ title: "f", chunks: ["heron"], tags: ["x"] }]);
  assertEquals((await found(db, filter)).join(""), "abef");
  db.exec("INSERT INTO tags (name) VALUES ('z')");
  db.exec("INSERT INTO document_tags SELECT 1, id FROM tags WHERE name = 'z'");
  assertEquals((await found(db, filter)).join(""), "bef");
  db.exec("DELETE FROM document_tags WHERE document_id = 2");
  assertEquals((await found(db, filter)).join(""), "ef");
  assertEquals((await found(db, { since: "2026-04-01" })).join(""), "d");
  db.exec("UPDATE documents SET updated_at = '2026-05-01T00:00:00.000Z' WHERE id = 1");
  assertEquals((await found(db, { since: "2026-04-01" })).join(""), "ad");
  db.close();
});

Deno.test("more filters than the cache holds each give their own results", async () => {
  const documents = Array.from({ length: 80 }, (_, n) => ({
    title: `t${n}`,
    chunks: ["heron"],
    tags: [`tag-${n}`],
  }));
  const { db } = memoryCorpus(documents);
  for (let round = 0; round < 2; round++) {
    for (const { title, tags } of documents) assertEquals(await found(db, { tags }), [title]);
  }
  db.close();
});

Deno.test("a cached filter evicts no other", () => {
  const { db, ids: [document = 0] } = memoryCorpus([{ title: "a", chunks: ["heron"], tags: ["tag-0"] }]);
  const cache = new DocumentFilterCache(db);
  const isTagged = (tag: number) => cache.get({ tags: [`tag-${tag}`] }, "1")?.(document);
  for (let tag = 0; tag < 32; tag++) isTagged(tag);
  isTagged(31);
  db.exec("DELETE FROM document_tags");
  // The version is the same, so a cached filter does not see the change.
  assertEquals(isTagged(0), true);
  db.close();
});
