import { assertEquals, assertThrows } from "@std/assert";
import type { SearchRequest } from "../../../src/contract/mod.ts";
import { encodeCursor, KnowledgeBaseError } from "../../../src/engine/knowledge_base/mod.ts";
import { planSearch } from "../../../src/engine/search/plan.ts";

const MODES: [request: Partial<SearchRequest>, withVectors: string, withoutVectors: string][] = [
  [{}, "hybrid", "fts"],
  [{ mode: "fts" }, "fts", "fts"],
  [{ fts_only: true }, "fts", "fts"],
  [{ mode: "fts", fts_only: true }, "fts", "fts"],
  [{ mode: "vector" }, "vector", "invalid"],
  [{ vec_only: true }, "vector", "invalid"],
  [{ mode: "hybrid" }, "hybrid", "fts"],
  [{ fts_only: true, vec_only: true }, "invalid", "invalid"],
  [{ mode: "vector", fts_only: true }, "invalid", "invalid"],
  [{ mode: "hybrid", vec_only: true }, "invalid", "invalid"],
];
for (const [request, ...expected] of MODES) {
  for (const [index, mode] of expected.entries()) {
    const hasVectors = index === 0;
    Deno.test(`${JSON.stringify(request)} plans ${mode} ${hasVectors ? "with" : "without"} vectors`, () => {
      const plan = () => planSearch({ query: "heron", ...request }, { hasVectors });
      if (mode === "invalid") assertEquals(assertThrows(plan, KnowledgeBaseError).code, "invalid");
      else assertEquals(plan().mode, mode);
    });
  }
}

Deno.test("a hybrid search without an embedding model has a warning", () => {
  const { warnings } = planSearch({ query: "heron", mode: "hybrid" }, { hasVectors: false });
  assertEquals(warnings, [
    "Searched full text only: this engine has no embedding model (KB_EMBEDDINGS_MODEL is off).",
  ]);
});

Deno.test("a cursor sets the offset, and a full-text page is followed by full-text pages", () => {
  const request = { query: "heron", top: 5 };
  const { searchId } = planSearch(request, { hasVectors: true });
  const next = (mode: string) =>
    planSearch({ ...request, cursor: encodeCursor([searchId, 5, mode]) }, { hasVectors: true });
  assertEquals([next("hybrid").offset, next("hybrid").mode, next("hybrid").warnings], [5, "hybrid", []]);
  assertEquals([next("fts").offset, next("fts").mode], [5, "fts"]);
  assertEquals(next("fts").warnings, ["Searched full text only, as on the previous page."]);
});

Deno.test("the search id depends on query, mode, filters and limit per document, and on nothing else", () => {
  const idOf = (more: Partial<SearchRequest>) =>
    planSearch({ query: "heron", tags: ["x"], ...more }, { hasVectors: true }).searchId;
  const same: Partial<SearchRequest>[] = [{ top: 3 }, { detail: "snippet" }, { max_tokens: 500 }, {
    tags: ["x", "x"],
  }, { mode: "hybrid" }];
  for (const more of same) assertEquals(idOf(more), idOf({}), JSON.stringify(more));
  const other: Partial<SearchRequest>[] = [
    { query: "herons" },
    { mode: "fts" },
    { tags: ["y"] },
    { tags_any: ["x"] },
    { tags_none: ["x"] },
    { collections: ["memory"] },
    { doc_type: "pdf" },
    { since: "2026-01-01" },
    { until: "2026-01-01" },
    { per_document: 1 },
  ];
  assertEquals(new Set([{}, ...other].map(idOf)).size, other.length + 1);
});
