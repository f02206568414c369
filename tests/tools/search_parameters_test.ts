import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { ToolError } from "../../src/tools/mod.ts";
import { openHarness } from "../support/harness.ts";

const RESULT = { chunk_id: 1, document_id: 2, text: "A heron.", score: 1, tags: ["collection:memory", "a"] };

/** Calls kb_search on an engine with the given response fields. */
async function search(args: Record<string, unknown>, fields: Record<string, unknown> = {}) {
  const handler = () => Response.json({ mode: "fts", results: [RESULT], filters_applied: {}, ...fields });
  await using kb = await openHarness({ placement: "embedded", handler });
  const output = await kb.call(kbSearch, { query: "heron", ...args });
  return { output, sent: kb.sent("POST", "/api/v1/search") };
}

/** Response fields of an engine that has applied the filters. */
const applied = (filters: Record<string, unknown>) => ({ filters_applied: filters });

const SENT: [what: string, args: Record<string, unknown>, sent: Record<string, unknown>][] = [
  ["no omitted arguments", {}, {}],
  ["mode, detail, max_tokens and cursor unchanged", {
    mode: "hybrid",
    detail: "context",
    max_tokens: 500,
    cursor: "next",
  }, { mode: "hybrid", detail: "context", max_tokens: 500, cursor: "next" }],
  ["sort, recency and include_weak unchanged", { sort: "recent", recency: 0.5, include_weak: true }, {
    sort: "recent",
    recency: 0.5,
    include_weak: true,
  }],
  ["fts_only together with mode fts", { mode: "fts", fts_only: true }, {
    mode: "fts",
    fts_only: true,
  }],
  ["one collection as a tag", { collection: "memory" }, { tags: ["collection:memory"] }],
  ["a list of one collection as a tag", { collection: ["memory", "memory"], tags: ["a"] }, {
    tags: ["collection:memory", "a"],
  }],
  ["several collections by name", { collection: ["memory", "workspace", "memory"] }, {
    collections: ["memory", "workspace"],
  }],
  ["tags trimmed and deduplicated", { tags_any: [" a ", "a", "b"], tags_none: ["c "] }, {
    tags_any: ["a", "b"],
    tags_none: ["c"],
  }],
  ["no empty lists", { tags: [], tags_any: [], tags_none: [] }, {}],
];
for (const [what, args, expected] of SENT) {
  Deno.test(`kb_search sends ${what}`, async () => {
    const { sent } = await search(args, applied({ ...args, collections: [] }));
    assertEquals(sent, [{ query: "heron", top: 10, ...expected }]);
  });
}

for (const field of ["tags", "tags_any", "tags_none"]) {
  Deno.test(`kb_search rejects a collection: tag in ${field}`, async () => {
    const error = await assertRejects(() => search({ [field]: ["collection:memory"] }));
    assertStringIncludes((error as Error).message, `${field} must not contain "collection:memory"`);
    assertStringIncludes((error as Error).message, `Remove it from ${field} and use the \`collection\``);
  });
}

Deno.test("kb_search rejects an empty list of collections", async () => {
  const error = await assertRejects(() => search({ collection: [] }));
  assertStringIncludes((error as Error).message, "omit it to search all");
});

Deno.test("kb_search rejects an unknown collection among known ones", async () => {
  const error = await assertRejects(() => search({ collection: ["memory", "memroy"] }));
  assertStringIncludes((error as Error).message, 'Did you mean "memory"?');
});

Deno.test("kb_search rejects a mode that contradicts fts_only", async () => {
  const error = await assertRejects(() => search({ mode: "vector", fts_only: true }), ToolError);
  assertEquals(error.message, 'fts_only must be omitted with mode "vector": it means mode "fts".');
});

Deno.test("kb_search returns the total, the cursor and the cut", async () => {
  const { output, sent } = await search({ max_tokens: 50 }, {
    total: 31,
    next_cursor: "more",
    cut: { omitted: 4, text_cut: true },
  });
  assertEquals([output.total, output.next_cursor], [31, "more"]);
  assertEquals<unknown>(output.cut, { omitted: 4, text_cut: true });
  assertEquals(sent.length, 1);
});

Deno.test("kb_search omits fields without a value", async () => {
  const { output } = await search({}, {
    total: null,
    next_cursor: null,
    warning: null,
    corrections: [],
    cut: null,
    vectors: { embedded: 7, total: 7 },
  });
  assertEquals(Object.keys(output), ["mode", "results", "now"]);
});

Deno.test("kb_search returns warnings, corrections, and the progress of missing vectors", async () => {
  const notices = {
    warning: "The embedding model cannot be reached.",
    corrections: [{ word: "herron", used: "heron" }],
    vectors: { embedded: 3, total: 7 },
  };
  const { output } = await search({}, notices);
  const { warning, corrections, vectors } = output;
  assertEquals<unknown>({ warning, corrections, vectors }, notices);
});

Deno.test("kb_search returns the filters in its own terms, with times as the engine understood them", async () => {
  const { output } = await search(
    {
      collection: "memory",
      tags: ["a"],
      tags_none: ["b"],
      doc_type: "Note",
      since: "2026-01-01",
      per_document: 2,
    },
    applied({
      tags: ["collection:memory", "a"],
      tags_none: ["b"],
      doc_type: "note",
      since: "2026-01-01T00:00:00.000Z",
      per_document: 2,
    }),
  );
  assertEquals<unknown>(output["filters_applied"], {
    tags: ["a"],
    tags_none: ["b"],
    doc_type: "note",
    since: "2026-01-01T00:00:00Z",
    per_document: 2,
  });
  const several = { collection: ["memory", "workspace"] };
  const { output: of } = await search(several, applied({ collections: several.collection }));
  assertEquals<unknown>(of["filters_applied"], several);
});

Deno.test("kb_search returns the context of a result, if any", async () => {
  const results = [{ ...RESULT, context_before: "Before.", context_after: null, snippet: "heron" }];
  const { output } = await search({ detail: "context" }, { results });
  const [hit] = output.results;
  assertEquals([hit?.["context_before"], "context_after" in hit!, "snippet" in hit!], [
    "Before.",
    false,
    false,
  ]);
});

Deno.test("kb_search has no hint if all results were cut, and says when there are no more pages", async () => {
  const cut = { omitted: 3, text_cut: false };
  assertEquals((await search({}, { results: [], cut })).output["hint"], undefined);
  const { output } = await search({ cursor: "end", tags: ["a"] }, { results: [], next_cursor: null });
  assertEquals(output["hint"], "No more results.");
});

Deno.test("kb_search returns only visible text, and unchanged ids", async () => {
  const hide = (text: string) => `${text.slice(0, 1)}\u200b\u202e\u{e0041}${text.slice(1)}`;
  const result = {
    chunk_id: "c\u200b1",
    document_id: "d\u200b1",
    score: 1,
    text: hide("text"),
    title: hide("title"),
    source_path: hide("path"),
    heading_path: [hide("heading")],
    tags: [hide("tag")],
    context_before: hide("before"),
    context_after: hide("after"),
    author: { name: hide("name") },
  };
  const filters_applied = { tags: [hide("filter")] };
  const { output } = await search({}, { results: [result], filters_applied, warning: hide("warning") });
  assertEquals<unknown>([output["filters_applied"], output.warning], [{ tags: ["filter"] }, "warning"]);
  assertEquals<unknown>(output.results, [{
    chunk_id: "c\u200b1",
    document_id: "d\u200b1",
    heading_path: ["heading"],
    text: "text",
    title: "title",
    source_path: "path",
    context_before: "before",
    context_after: "after",
    author: { name: "name" },
    score: 1,
    tags: ["tag"],
  }]);
});

Deno.test("kb_search counts weak results, names documents with the same text, and repeats no order", async () => {
  const also_in = [{ chunk_id: 9, document_id: 8, title: "Copy", source_path: null }];
  const { output } = await search({ sort: "recent" }, {
    results: [{ ...RESULT, also_in, also_in_total: 7 }],
    weak_omitted: 4,
    ...applied({ sort: "recent" }),
  });
  const { results: [result], weak_omitted, filters_applied } = output as
    & typeof output
    & Record<string, unknown>;
  assertEquals([weak_omitted, filters_applied], [4, undefined]);
  assertEquals([result?.["also_in"], result?.["also_in_total"]], [[{ document_id: 8, title: "Copy" }], 7]);
});
