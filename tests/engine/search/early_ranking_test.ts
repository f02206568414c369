import { assertEquals } from "@std/assert";
import type { SearchRequest } from "../../../src/contract/mod.ts";
import { earlyRanking, planSearch, vectorLimit } from "../../../src/engine/search/mod.ts";

Deno.test("a ranking by vectors begins with the text and the limit that the search will ask for", () => {
  const requests: SearchRequest[] = [
    { query: "green  tea" },
    { query: "green tea", mode: "vector", top: 3 },
    { query: "green tea", vec_only: true, sort: "recent" },
    { query: "green tea", mode: "vector", per_document: 1, top: 50 },
    { query: "green tea", detail: "context", max_tokens: 500, include_weak: true, tags: [] },
  ];
  for (const request of requests) {
    const plan = planSearch(request, { hasVectors: true });
    for (const chunks of [0, 100_000]) {
      assertEquals(earlyRanking(request), { text: plan.query.text, limit: vectorLimit(plan, chunks) });
    }
  }
});

Deno.test("with filters, only the query is embedded early", () => {
  const filters = [{ tags: ["tea"] }, { since: "2026-01-01" }, { document_id: "7" }, {
    doc_type: "note",
  }] as const;
  for (const filter of filters) {
    assertEquals(earlyRanking({ query: "tea", ...filter } as SearchRequest), {
      text: "tea",
      limit: undefined,
    });
  }
});

Deno.test("nothing begins early by words only, with syntax, a cursor or an invalid request", () => {
  const requests: SearchRequest[] = [
    { query: "tea", mode: "fts" },
    { query: "tea", fts_only: true },
    { query: " " },
    { query: "tea -milk" },
    { query: "tea", cursor: "bm9uZQ" },
    { query: "tea", fts_only: true, vec_only: true },
    { query: "tea", since: "tomorrow" },
  ];
  for (const request of requests) assertEquals(earlyRanking(request), undefined, JSON.stringify(request));
});
