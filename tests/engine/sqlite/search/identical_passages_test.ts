import { assert, assertEquals } from "@std/assert";
import type { SearchRequest, SearchResult } from "../../../../src/contract/mod.ts";
import { type CorpusDocument, memoryCorpus, search } from "./corpus.ts";

const LICENSE = "Heron is free software under the terms of the license";

/** Returns documents of which the first `copies` share a passage, which ranks in between the others. */
function documents(copies: number, others: number): CorpusDocument[] {
  return [
    ...Array.from({ length: copies }, (_, n) => ({ title: `c${n}`, chunks: [LICENSE, `own text of ${n}`] })),
    ...Array.from({ length: others }, (_, n) => ({
      title: `o${n}`,
      chunks: [
        n % 2 === 0
          ? `heron ${n}`
          : `a heron among so many reeds that no other bird is to be seen there ${n}`,
      ],
    })),
  ];
}

const titlesOf = (results: readonly SearchResult[]) => results.map(({ title }) => title);

Deno.test("passages with the same text are one result, which names the others", async () => {
  const { db, ids } = memoryCorpus([
    { title: "a", chunks: [LICENSE], sourcePath: "a.txt" },
    { title: "b", chunks: ["something else", LICENSE] },
    { title: "c", chunks: [`  ${LICENSE.toUpperCase().replace(" ", "\n\n ")}`] },
    { title: "d", chunks: [`${LICENSE} 2`] },
  ]);
  const { results, total, next_cursor } = await search(db, { query: "heron license" });
  assertEquals([titlesOf(results), total, next_cursor], [["a", "d"], 2, null]);
  assertEquals(results[0]?.also_in, [
    { chunk_id: 3, document_id: ids[1]!, title: "b", source_path: null },
    { chunk_id: 4, document_id: ids[2]!, title: "c", source_path: null },
  ]);
  assertEquals([results[0]?.also_in_total, results[1]?.also_in], [undefined, undefined]);
  db.close();
});

Deno.test("passages that differ in white space only are one result", async () => {
  const { db } = memoryCorpus(
    [" ", " ".repeat(200)].map((space, n) => ({ title: `t${n}`, chunks: [LICENSE.replaceAll(" ", space)] })),
  );
  assertEquals((await search(db, { query: "heron license" })).results.length, 1);
  db.close();
});

Deno.test("only passages that pass the filters are named", async () => {
  const { db } = memoryCorpus([
    { title: "a", chunks: [LICENSE], tags: ["x"] },
    { title: "b", chunks: [LICENSE], tags: ["y"] },
    { title: "c", chunks: [LICENSE], tags: ["y"] },
  ]);
  const { results, total } = await search(db, { query: "heron license", tags: ["y"] });
  assertEquals([titlesOf(results), results[0]?.also_in?.map(({ title }) => title), total], [["b"], ["c"], 1]);
  db.close();
});

Deno.test("passages of fewer than four words stay apart, since the title tells what they are about", async () => {
  const { db } = memoryCorpus(
    ["kitchen heron", "office heron"].map((title) => ({ title, chunks: ["tulip 42"] })),
  );
  assertEquals((await search(db, { query: "heron" })).results.length, 2);
  db.close();
});

Deno.test("a result lists the first five copies and counts all", async () => {
  const { db } = memoryCorpus(documents(9, 0));
  const { results: [result], total } = await search(db, { query: "heron license" });
  assertEquals([result?.also_in?.length, result?.also_in_total, total], [5, 8, 1]);
  db.close();
});

Deno.test("a collapsed passage leaves its document's place to another one", async () => {
  const { db } = memoryCorpus([
    { title: "a", chunks: [LICENSE] },
    { title: "b", chunks: [LICENSE, "a heron at the shore of the lake"] },
  ]);
  const { results, total } = await search(db, {
    query: "heron license",
    per_document: 1,
    include_weak: true,
  });
  assertEquals([titlesOf(results), total], [["a", "b"], 2]);
  db.close();
});

Deno.test("all pages together contain every text once, with any page size", async () => {
  const { db } = memoryCorpus(documents(80, 60));
  const request: SearchRequest = { query: "heron license", include_weak: true };
  const whole = await allPages(request, 50);
  assertEquals(whole.length, 61);
  assertEquals(new Set(whole.map(({ text }) => text)).size, 61);
  for (const top of [1, 3, 7, 10, 20, 31]) {
    assertEquals(titlesOf(await allPages(request, top)), titlesOf(whole), `pages of ${top}`);
  }
  db.close();

  async function allPages(request: SearchRequest, top: number): Promise<SearchResult[]> {
    const all: SearchResult[] = [];
    let next: SearchRequest | undefined = { ...request, top };
    while (next) {
      const page = await search(db, next);
      assert(page.results.length > 0);
      assert((page.total ?? 0) >= 61);
      all.push(...page.results);
      next = page.next_cursor ? { ...next, cursor: page.next_cursor } : undefined;
    }
    return all;
  }
});
