import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { ToolError } from "../../src/tools/mod.ts";
import { openHarness } from "../support/harness.ts";

const RESULT = { chunk_id: 1, document_id: 2, text: "A heron.", score: 1, tags: ["collection:memory", "a"] };

/** What kb_search makes of arguments, and of an answer. */
async function search(args: Record<string, unknown>, answer: Record<string, unknown> = {}) {
  const handler = () => Response.json({ mode: "fts", results: [RESULT], filters_applied: {}, ...answer });
  await using kb = await openHarness({ placement: "embedded", handler });
  const output = await kb.call(kbSearch, { query: "heron", ...args });
  return { output, sent: kb.sent("POST", "/api/v1/search") };
}

/** An answer to arguments that names the filters, as an engine that has applied them does. */
const applied = (filters: Record<string, unknown>) => ({ filters_applied: filters });

const SENT: [what: string, args: Record<string, unknown>, sent: Record<string, unknown>][] = [
  ["nothing that was not given", {}, {}],
  ["mode, detail, max_tokens and cursor as they are", {
    mode: "hybrid",
    detail: "context",
    max_tokens: 500,
    cursor: "next",
  }, { mode: "hybrid", detail: "context", max_tokens: 500, cursor: "next" }],
  ["fts_only beside the mode that it means", { mode: "fts", fts_only: true }, {
    mode: "fts",
    fts_only: true,
  }],
  ["one collection as a tag", { collection: "memory" }, { tags: ["collection:memory"] }],
  ["a list of one collection as a tag", { collection: ["memory", "memory"], tags: ["a"] }, {
    tags: ["collection:memory", "a"],
  }],
  ["several collections by their names", { collection: ["memory", "workspace", "memory"] }, {
    collections: ["memory", "workspace"],
  }],
  ["tags trimmed and once each", { tags_any: [" a ", "a", "b"], tags_none: ["c "] }, {
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
  Deno.test(`kb_search takes no collection: tag in ${field}`, async () => {
    const error = await assertRejects(() => search({ [field]: ["collection:memory"] }));
    assertStringIncludes((error as Error).message, `${field} must not contain "collection:memory"`);
    assertStringIncludes((error as Error).message, `Remove it from ${field} and use the \`collection\``);
  });
}

Deno.test("kb_search refuses an empty list of collections, which is not all of them", async () => {
  const error = await assertRejects(() => search({ collection: [] }));
  assertStringIncludes((error as Error).message, "leave it out to search all");
});

Deno.test("kb_search refuses one unknown collection among known ones", async () => {
  const error = await assertRejects(() => search({ collection: ["memory", "memroy"] }));
  assertStringIncludes((error as Error).message, 'Did you mean "memory"?');
});

Deno.test("kb_search refuses a mode that contradicts fts_only", async () => {
  const error = await assertRejects(() => search({ mode: "vector", fts_only: true }), ToolError);
  assertEquals(error.message, 'fts_only must be left out with mode "vector": it means mode "fts".');
});

Deno.test("kb_search answers how many there are, how to go on and what was cut", async () => {
  const { output, sent } = await search({ max_tokens: 50 }, {
    total: 31,
    next_cursor: "more",
    cut: { omitted: 4, text_cut: true },
  });
  assertEquals([output.total, output.next_cursor], [31, "more"]);
  assertEquals<unknown>(output.cut, { omitted: 4, text_cut: true });
  assertEquals(sent.length, 1);
});

Deno.test("kb_search leaves out what there is nothing to say of", async () => {
  const { output } = await search({}, {
    total: null,
    next_cursor: null,
    warning: null,
    corrections: [],
    cut: null,
    vectors: { embedded: 7, total: 7 },
  });
  assertEquals(Object.keys(output), ["mode", "results"]);
});

Deno.test("kb_search answers warnings, corrections, and how far the vectors are while they are not there", async () => {
  const said = {
    warning: "The embedding model cannot be reached.",
    corrections: [{ word: "herron", used: "heron" }],
    vectors: { embedded: 3, total: 7 },
  };
  const { output } = await search({}, said);
  const { warning, corrections, vectors } = output;
  assertEquals<unknown>({ warning, corrections, vectors }, said);
});

Deno.test("kb_search says the filters in its own terms, times as the engine understood them", async () => {
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
    collection: "memory",
    tags: ["a"],
    tags_none: ["b"],
    doc_type: "note",
    since: "2026-01-01T00:00:00.000Z",
    per_document: 2,
  });
  const several = { collection: ["memory", "workspace"] };
  const { output: of } = await search(several, applied({ collections: several.collection }));
  assertEquals<unknown>(of["filters_applied"], several);
});

Deno.test("kb_search answers the neighbours of a result where there are some", async () => {
  const results = [{ ...RESULT, context_before: "Before.", context_after: null, snippet: "heron" }];
  const { output } = await search({ detail: "context" }, { results });
  const [hit] = output.results;
  assertEquals([hit?.["context_before"], "context_after" in hit!, "snippet" in hit!], [
    "Before.",
    false,
    false,
  ]);
});

Deno.test("kb_search gives no hint where results were cut away, and says when pages have ended", async () => {
  const cut = { omitted: 3, text_cut: false };
  assertEquals((await search({}, { results: [], cut })).output["hint"], undefined);
  const { output } = await search({ cursor: "end", tags: ["a"] }, { results: [], next_cursor: null });
  assertEquals(output["hint"], "No more results.");
});

Deno.test("kb_search answers nothing of a document that cannot be seen, and ids as they are", async () => {
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
    collection: null,
    tags: ["tag"],
  }]);
});
