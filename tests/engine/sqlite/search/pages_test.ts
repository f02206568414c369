import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { SearchRequest, SearchResponse, SearchResult } from "../../../../src/contract/mod.ts";
import type { VectorSearch } from "../../../../src/engine/search/mod.ts";
import { Searcher } from "../../../../src/engine/sqlite/search/mod.ts";
import { KnowledgeBaseError } from "../../../../src/engine/knowledge_base/mod.ts";
import { seededRandom } from "../../../support/random.ts";
import { type CorpusDocument, memoryCorpus } from "./corpus.ts";
import { searcherWith, vectorSearch } from "./vectors.ts";

/** Returns documents of one to six different chunks. Nine of ten contain the word, with many equal scores. */
function documents(chunks: number): CorpusDocument[] {
  const { int, pick } = seededRandom(chunks);
  let number = 0;
  const found: CorpusDocument[] = [];
  for (let left = chunks, n = 0; left > 0; n++) {
    const count = Math.min(left, int(6) + 1);
    left -= count;
    found.push({
      title: `t${n}`,
      chunks: Array.from(
        { length: count },
        () =>
          int(10) === 0
            ? `nothing of the kind ${++number}`
            : `${"heron ".repeat(int(3) + 1)}${pick(["among reeds", "in flight", "asleep"])} w${++number}`,
      ),
      tags: int(2) === 0 ? ["even"] : ["odd"],
    });
  }
  return found;
}

/** Returns a searcher over chunks of which every other one has a vector. */
function open(chunks: number) {
  const { db } = memoryCorpus(documents(chunks));
  const { int } = seededRandom(1);
  const similarities = Array.from(
    { length: Math.floor(chunks / 2) },
    (_, n) => [n * 2 + 1, int(100) / 100] as const,
  );
  return { db, searcher: searcherWith(db, new Map(similarities)), [Symbol.dispose]: () => db.close() };
}

interface Pages {
  readonly pages: SearchResponse[];
  readonly results: SearchResult[];
}

/** Reads all pages. */
async function allPages(searcher: Searcher, request: SearchRequest): Promise<Pages> {
  const pages: SearchResponse[] = [];
  let next: SearchRequest | undefined = request;
  while (next) {
    const page: SearchResponse = await searcher.search(next);
    assert(pages.length < 2000, "The pages do not end");
    pages.push(page);
    next = page.next_cursor ? { ...request, cursor: page.next_cursor } : undefined;
  }
  return { pages, results: pages.flatMap(({ results }) => results) };
}

function idsOf(results: readonly SearchResult[]) {
  return results.map(({ chunk_id }) => chunk_id);
}

const MODES = ["fts", "vector", "hybrid"] as const;

for (const mode of MODES) {
  Deno.test(`pages of 7 and of 50 give the same list without duplicates, mode ${mode}`, async () => {
    using corpus = open(1600);
    const request: SearchRequest = { query: "heron", mode, include_weak: mode === "vector" };
    const large = await allPages(corpus.searcher, { ...request, top: 50 });
    const small = await allPages(corpus.searcher, { ...request, top: 7 });
    assertEquals(small.results, large.results);
    assertEquals(new Set(idsOf(large.results)).size, large.results.length);
    for (const page of [...large.pages, ...small.pages]) {
      assertEquals([page.mode, page.total], [mode, large.results.length]);
    }
    for (const { results } of small.pages.slice(0, -1)) assertEquals(results.length, 7);
    if (mode !== "vector") assert(large.results.length > 1300);
  });
}

const CASES: [string, SearchRequest][] = [
  ["a tag", { query: "heron", tags: ["even"] }],
  ["an excluded tag", { query: "heron", tags_none: ["even"] }],
  ["a quoted phrase", { query: '"heron among reeds"' }],
  ["an exclusion", { query: "heron -asleep" }],
  ["one chunk per document", { query: "heron", per_document: 1 }],
  ["two chunks per document and a tag", { query: "heron reeds", per_document: 2, tags: ["odd"] }],
  ["a budget that cuts pages", { query: "heron", max_tokens: 600, top: 20 }],
  ["a budget that cuts texts", { query: "heron reeds", max_tokens: 50, per_document: 1, tags: ["even"] }],
  ["snippets", { query: "heron", detail: "snippet" }],
  ["context", { query: "heron", detail: "context" }],
  ["no match", { query: "zzzz" }],
];

for (const mode of MODES) {
  for (const [name, request] of CASES) {
    Deno.test(`all pages together contain every result once: ${name}, mode ${mode}`, async () => {
      using corpus = open(240);
      // Vectors of deeper pages are compared when they are requested, so that their total counts weak results.
      const complete: SearchRequest = { include_weak: mode === "vector", ...request };
      const { pages, results } = await allPages(corpus.searcher, { mode, top: 7, ...complete });
      const { max_tokens: _, ...unlimited } = complete;
      const whole = await allPages(corpus.searcher, { ...unlimited, mode, top: 50 });
      assertEquals(idsOf(results), idsOf(whole.results));
      assertEquals(new Set(idsOf(results)).size, results.length);
      for (const { total, next_cursor, results: shown } of pages.slice(0, -1)) {
        assertEquals([total, typeof next_cursor], [results.length, "string"]);
        assert(shown.length > 0);
      }
      assertEquals([pages.at(-1)?.total, pages.at(-1)?.next_cursor], [results.length, null]);
    });
  }
}

Deno.test("a cursor is valid with another detail, page size or budget", async () => {
  using corpus = open(100);
  const request: SearchRequest = { query: "heron", mode: "hybrid" };
  const first = await corpus.searcher.search({ ...request, top: 5 });
  const cursor = first.next_cursor!;
  const second = await corpus.searcher.search({ ...request, top: 5, cursor });
  const other = await corpus.searcher.search({
    ...request,
    top: 9,
    cursor,
    detail: "snippet",
    max_tokens: 5000,
  });
  assertEquals(idsOf(other.results).slice(0, 5), idsOf(second.results));
});

const OTHERS: [string, Partial<SearchRequest>][] = [
  ["query", { query: "herons" }],
  ["mode", { mode: "fts" }],
  ["mode by flag", { mode: undefined, fts_only: true }],
  ["tag", { tags: ["odd"] }],
  ["excluded tag", { tags: ["even"], tags_none: ["x"] }],
  ["collection", { collections: ["memory"] }],
  ["type", { doc_type: "pdf" }],
  ["time", { since: "2026-01-01" }],
  ["limit per document", { per_document: 1 }],
];

for (const [name, other] of OTHERS) {
  Deno.test(`a cursor of a search with another ${name} is rejected with a hint`, async () => {
    using corpus = open(100);
    const request: SearchRequest = { query: "heron", mode: "hybrid", top: 3, tags: ["even"] };
    const cursor = (await corpus.searcher.search(request)).next_cursor!;
    const error = await assertRejects(
      () => corpus.searcher.search({ ...request, ...other, cursor } as SearchRequest),
      KnowledgeBaseError,
      "cursor must be the next_cursor of the same search: omit it when query, mode or filters change",
    );
    assertEquals(error.code, "invalid");
  });
}

Deno.test("a cursor is valid for the default mode, set or unset", async () => {
  using corpus = open(100);
  const { next_cursor: cursor } = await corpus.searcher.search({ query: "heron", top: 3 });
  assertEquals(
    await corpus.searcher.search({ query: "heron", top: 3, cursor: cursor! }),
    await corpus.searcher.search({ query: "heron", top: 3, mode: "hybrid", cursor: cursor! }),
  );
});

const encoded = (cursor: unknown) =>
  new TextEncoder().encode(JSON.stringify(cursor)).toBase64({ alphabet: "base64url", omitPadding: true });

Deno.test("malformed cursors are rejected", async () => {
  using corpus = open(20);
  const cursors = [
    "",
    "x",
    "!!!!",
    "null",
    encoded(null),
    encoded([]),
    encoded(["x", 0, "fts"]),
    encoded(["x", -3, "fts"]),
    encoded(["x", 1.5, "fts"]),
    encoded(["x", 1]),
    encoded(["x", 1, 2]),
    encoded(["x", 1, "fts", 2]),
    encoded(["x", "1", "fts"]),
    encoded([1, 1, "fts"]),
    encoded({ length: 2 }),
    encoded(["2026-01-01T00:00:00.000Z", 3]).slice(1),
    "a".repeat(500),
    "\u0000\ud800",
  ];
  for (const cursor of cursors) {
    const { message } = await assertRejects(
      () => corpus.searcher.search({ query: "heron", cursor }),
      KnowledgeBaseError,
      "cursor must be the next_cursor of the previous page, got ",
    );
    assert(message.length < 200, message);
  }
});

for (const mode of MODES) {
  Deno.test(`a cursor beyond the last result gives an empty last page, mode ${mode}`, async () => {
    using corpus = open(20);
    const request: SearchRequest = { query: "heron", mode, top: 3 };
    const { next_cursor } = await corpus.searcher.search(request);
    const bytes = Uint8Array.fromBase64(next_cursor!, { alphabet: "base64url" });
    const [searchId, , ranMode] = JSON.parse(new TextDecoder().decode(bytes));
    for (const offset of [100, 1e9, Number.MAX_SAFE_INTEGER]) {
      const page = await corpus.searcher.search({ ...request, cursor: encoded([searchId, offset, ranMode]) });
      assertEquals([page.mode, page.results, page.next_cursor], [mode, [], null]);
    }
  });
}

for (const mode of MODES) {
  Deno.test(`a document deleted between two pages is not returned again, mode ${mode}`, async () => {
    using corpus = open(60);
    const { db, searcher } = corpus;
    const request: SearchRequest = { query: "heron", mode, top: 4 };
    const first = await searcher.search(request);
    const deleted = first.results[1]!.document_id as number;
    const chunks = db.prepare("SELECT id FROM chunks WHERE document_id = ?").all(deleted).map(({ id }) =>
      Number(id)
    );
    for (const id of chunks) {
      db.prepare("DELETE FROM chunks_fts WHERE rowid = ?").run(id);
      db.prepare("INSERT INTO removed_chunks (chunk_id) VALUES (?)").run(id);
    }
    db.prepare("DELETE FROM documents WHERE id = ?").run(deleted);
    const rest = await allPages(searcher, { ...request, cursor: first.next_cursor! });
    assert(rest.results.every(({ document_id }) => document_id !== deleted));
    const seen = idsOf(first.results);
    assert(idsOf(rest.results).every((id) => !seen.includes(id)));
    assertEquals(rest.pages.at(-1)?.next_cursor, null);
  });
}

Deno.test("chunks deleted after ranking leave no gap on later pages", async () => {
  const { db } = memoryCorpus(Array.from({ length: 6 }, (_, n) => ({ title: `t${n}`, chunks: ["heron"] })));
  // The vectors still contain chunks 2 and 9, which the store no longer has.
  const similarities = new Map([[1, 0.9], [2, 0.8], [3, 0.7], [9, 0.6], [4, 0.5], [5, 0.4]]);
  db.exec("DELETE FROM chunks_fts WHERE rowid = 2; DELETE FROM documents WHERE id = 2");
  const searcher = searcherWith(db, similarities);
  for (const more of [{ top: 2 }, { top: 4, max_tokens: 160 }, { top: 6, max_tokens: 90 }, { top: 1 }]) {
    const { results } = await allPages(searcher, { query: "heron", mode: "vector", ...more });
    assertEquals(idsOf(results), [1, 3, 4, 5], JSON.stringify(more));
  }
  db.close();
});

Deno.test("a cursor is short and safe in a URL", async () => {
  using corpus = open(20);
  const { next_cursor } = await corpus.searcher.search({ query: "heron ".repeat(100), top: 3 });
  assertMatch(next_cursor!, /^[\w-]{1,60}$/);
});

for (const mode of ["hybrid", "vector"] as const) {
  Deno.test(`pages that started as full text without vectors continue as full text, mode ${mode}`, async () => {
    const { db } = memoryCorpus(documents(100));
    const vectors = vectorSearch(new Map([[3, 0.9], [50, 0.8], [51, 0.7]]));
    let isDown = true;
    const embed: VectorSearch["embed"] = (query) =>
      isDown ? () => Promise.resolve({ warning: "The model is down." }) : vectors.embed(query);
    const searcher = new Searcher({ db, vectors: { ...vectors, embed } });
    const request: SearchRequest = { query: "heron", mode, top: 10 };
    const first = await searcher.search(request);
    isDown = false;
    const rest = await allPages(searcher, { ...request, cursor: first.next_cursor! });
    const words = await allPages(searcher, { ...request, mode: "fts" });
    assertEquals([...first.results, ...rest.results], words.results);
    for (const page of rest.pages) {
      assertEquals([page.mode, page.warning], ["fts", "Searched full text only, as on the previous page."]);
    }
    assertEquals((await searcher.search(request)).mode, mode);
    db.close();
  });
}
