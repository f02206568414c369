import { assertEquals, assertThrows } from "@std/assert";
import { parseFilters, reportFilters } from "../../../src/engine/search/filters.ts";
import { KnowledgeBaseError } from "../../../src/engine/knowledge_base/mod.ts";

Deno.test("lists lose duplicates, and empty ones are omitted", () => {
  const request = {
    query: "heron",
    tags: ["x", "y", "x"],
    tags_any: [],
    collections: ["memory"],
    per_document: 2,
  };
  const filters = parseFilters(request);
  assertEquals(filters, { tags: ["x", "y"], collections: ["memory"] });
  assertEquals(reportFilters(filters, request), { ...filters, per_document: 2 });
  assertEquals(parseFilters({ query: "heron" }), {});
});

Deno.test("a date is a whole day in UTC, and a time without an offset is UTC", () => {
  const cases: [since: string, until: string, expected: { since: string; until: string }][] = [
    ["2026-03-31", "2026-03-31", { since: "2026-03-31T00:00:00.000Z", until: "2026-03-31T23:59:59.999Z" }],
    ["2026-03-31T12:00", "2026-03-31T14:00:00+02:00", {
      since: "2026-03-31T12:00:00.000Z",
      until: "2026-03-31T12:00:00.000Z",
    }],
  ];
  for (const [since, until, expected] of cases) {
    assertEquals(parseFilters({ query: "heron", since, until }), expected);
  }
});

Deno.test("a text that is not a time in the years 0 to 9999 is rejected with the parameter's name", () => {
  for (const text of ["yesterday", "2026-13-01", "2026-03-31T25:00:00Z", "", "9999-12-31T23:00:00-02:00"]) {
    for (const name of ["since", "until"]) {
      assertThrows(
        () => parseFilters({ query: "heron", [name]: text }),
        KnowledgeBaseError,
        `${name} must be a date`,
      );
    }
  }
});

Deno.test("a document, a start of its path and metadata are filters, and no metadata is none", () => {
  const filters = { document_id: 7, source_path_prefix: "docs/", metadata: { status: "done" } };
  assertEquals(parseFilters({ query: "heron", ...filters }), filters);
  assertEquals(reportFilters(filters, { query: "heron" }), filters);
  assertEquals(parseFilters({ query: "heron", metadata: {} }), {});
});
