import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import * as z from "zod";
import { Collections } from "../../src/collections/mod.ts";
import { callTool } from "../../src/mcp/call_tool.ts";
import { joinText } from "../../src/text/mod.ts";
import { parseArguments, type Tool, tools } from "../../src/tools/mod.ts";
import { kbList } from "../../src/tools/kb_list.ts";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { kbSetCollection } from "../../src/tools/kb_set_collection.ts";
import { openHarness } from "../support/harness.ts";

function toolNamed(name: string): Tool {
  const tool = tools.find((each) => each.name === name);
  assert(tool, name);
  return tool;
}

const READ: [tool: string, args: Record<string, unknown>, meant: Record<string, unknown>][] = [
  ["kb_search", { query: "x", top: "5" }, { query: "x", top: 5 }],
  ["kb_search", { query: "x", top: " 5.0 ", recency: "0.5" }, { query: "x", top: 5, recency: 0.5 }],
  ["kb_search", { query: "x", fts_only: "True", include_weak: "false" }, {
    query: "x",
    fts_only: true,
    include_weak: false,
  }],
  ["kb_search", { query: 404 }, { query: "404" }],
  ["kb_search", { query: ["x"], doc_type: ["pdf"] }, { query: "x", doc_type: "pdf" }],
  ["kb_search", { query: "x", tags: "email" }, { query: "x", tags: ["email"] }],
  ["kb_search", { query: "x", tags: "a, b,,c " }, { query: "x", tags: ["a", "b", "c"] }],
  ["kb_search", { query: "x", tags_any: '["a, b", 2026]' }, { query: "x", tags_any: ["a, b", "2026"] }],
  ["kb_search", { query: "x", tags: [2026] }, { query: "x", tags: ["2026"] }],
  ["kb_search", { query: "x", metadata: '{"status":"draft"}' }, {
    query: "x",
    metadata: { status: "draft" },
  }],
  ["kb_search", { query: "x", mode: "Vector", sort: ["RECENT"] }, {
    query: "x",
    mode: "vector",
    sort: "recent",
  }],
  ["kb_search", { query: "x", since: "", collection: "", cursor: "", tags: "", top: "", document_id: "" }, {
    query: "x",
  }],
  ["kb_search", { query: "x", since: "null", tags: "None", top: " undefined ", metadata: "null" }, {
    query: "x",
  }],
  ["kb_search", { query: "null" }, { query: "null" }],
  ["kb_status", { random_string: "dummy" }, {}],
  ["kb_search", { query: "x", documentId: 7, "max-tokens": "500", FTS_only: true }, {
    query: "x",
    document_id: 7,
    max_tokens: 500,
    fts_only: true,
  }],
  ["kb_search", { arguments: { query: "x", top: "5" } }, { query: "x", top: 5 }],
  ["kb_search", { input: '{"query":"x","since":null}' }, { query: "x" }],
  ["kb_get", { document_id: [7] }, { document_id: 7 }],
  ["kb_get", { document_id: ["007"] }, { document_id: "007" }],
  ["kb_list", { params: {} }, {}],
  ["kb_edit", { document_id: 7, append: "x", prepend: "", title: "", source_path: "", section: "" }, {
    document_id: 7,
    append: "x",
  }],
  ["kb_edit", { document_id: 7, replace: '{"old":"a","new":"b"}' }, {
    document_id: 7,
    replace: { old: "a", new: "b" },
  }],
  ["kb_edit", { document_id: 7, replace: { old: 1, new: 2 } }, {
    document_id: 7,
    replace: { old: "1", new: "2" },
  }],
  ["kb_addnote", { text: "x", title: "", tags: "a", overwrite: "TRUE" }, {
    text: "x",
    tags: ["a"],
    overwrite: true,
  }],
];
for (const [name, args, meant] of READ) {
  Deno.test(`${name} reads ${JSON.stringify(args)} as models mean it`, () => {
    const { input } = toolNamed(name);
    const { result } = parseArguments(input, args);
    assertEquals(result.error?.message, undefined);
    assertEquals(result.data, input.parse(meant));
  });
}

const REFUSED: [tool: string, args: Record<string, unknown>, part: string][] = [
  ["kb_search", { query: "x", top: "five" }, 'top must be a number, got "five"'],
  ["kb_search", { query: "x", top: "0x10" }, 'top must be a number, got "0x10"'],
  ["kb_search", { query: "x", top: "500" }, "top must be at most 50, got 500"],
  ["kb_search", { query: "x", top: "2.5" }, "top must be a whole number, got 2.5"],
  ["kb_search", { query: "x", top: [1, 2] }, "top must be a number, got [1,2]"],
  ["kb_get", { document_id: 7, chunks: 1 }, "chunks must be true or false, got 1"],
  ["kb_search", { query: "x", fts_only: "yes" }, 'fts_only must be true or false, got "yes"'],
  ["kb_search", { query: 1.1 }, "query must be a string, got 1.1"],
  ["kb_search", { query: true }, "query must be a string, got true"],
  ["kb_search", { query: ["a", "b"] }, 'query must be a string, got ["a","b"]'],
  ["kb_search", { query: "x", tags: "[email]" }, 'tags must be a list, got "[email]"'],
  ["kb_search", { query: "x", tags: 7 }, "tags must be a list, got 7"],
  ["kb_search", { query: "x", metadata: "status=draft" }, 'metadata must be an object, got "status=draft"'],
  ["kb_search", { query: "x", metadata: '{"status"' }, "metadata must be an object, got"],
  ["kb_search", { query: "x", mode: "semantic" }, 'mode must be one of "hybrid", "fts", "vector"'],
  ["kb_search", { query: "x", language: "German" }, 'language must be an ISO 639-1 code such as "de"'],
  ["kb_search", { query: "x", Top: 1, TOP: 2 }, 'unknown argument "TOP"'],
  ["kb_search", { query: "x", arguments: { top: 1 } }, 'unknown argument "arguments"'],
  [
    "kb_search",
    { arguments: { question: "x" } },
    'query is missing: it must be a string; unknown argument "question"',
  ],
  ["kb_search", { arguments: ["x"] }, 'unknown argument "arguments"'],
  ["kb_set_collection", { document_id: 7, collection: "" }, "collection must have at least 1 character"],
  ["kb_delete", { document_id: "" }, "document_id must"],
  ["kb_delete", { document_id: 7, if_version: "" }, 'if_version must be a number, got ""'],
  ["kb_edit", { document_id: 7, append: "x", ifVersion: "null" }, "if_version must be a number"],
  ["kb_addnote", { text: "x", tags: "{'a', 'b'}" }, "tags must be a list, got"],
  ["kb_addnote", { text: "x", tags: '"a", "b"' }, "tags must be a list, got"],
  ["kb_addnote", { text: "x", tags: "('a',)" }, "tags must be a list, got"],
  ["kb_addnote", { text: "  " }, "text must not be empty"],
];
for (const [name, args, part] of REFUSED) {
  Deno.test(`${name} refuses ${JSON.stringify(args)}`, async () => {
    await using kb = await openHarness({ placement: "embedded", handler: noEngine });
    const { json, outcome } = await callTool(toolNamed(name), {
      arguments: args,
      context: kb.context,
      resourceLinks: true,
    });
    assertEquals(outcome, "invalid_arguments");
    assertStringIncludes(JSON.parse(joinText(json)).content[0].text, part);
  });
}

Deno.test("what the schema accepts keeps its meaning", () => {
  const input = z.strictObject({
    query: z.string(),
    to: z.union([z.string(), z.array(z.string())]).optional(),
  });
  for (const args of [{ query: "5", to: "a,b" }, { query: "[1]", to: "" }, { query: "", to: ["a,b"] }]) {
    assertEquals(parseArguments(input, args).result.data, args);
  }
  const wrapped = z.strictObject({ input: z.looseObject({}) });
  assertEquals(parseArguments(wrapped, { input: { query: "x" } }).result.data, { input: { query: "x" } });
});

for (
  const args of [{ overwrite: "true" }, { Overwrite: true }, { arguments: { overwrite: true } }, {
    OVERWRITE: ["True"],
  }]
) {
  Deno.test(`${JSON.stringify(args)} needs the scope of overwrite`, async () => {
    await using kb = await openHarness({ placement: "embedded", handler: noEngine });
    const wrapped = args.arguments && { arguments: { text: "x", ...args.arguments } };
    const { outcome } = await callTool(toolNamed("kb_addnote"), {
      arguments: wrapped ?? { text: "x", ...args },
      context: { ...kb.context, caller: { id: "caller-a", scope: "add" } },
      resourceLinks: true,
    });
    assertEquals(outcome, "scope_required");
  });
}

Deno.test("hostile arguments are refused, and not read as something else", () => {
  const { input } = toolNamed("kb_search");
  const long = `[${'"a",'.repeat(10_000)}"a"]`;
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`T_${i}`, i]));
  const hostile: Record<string, unknown>[] = [
    { query: "x", tags: long },
    { query: "x", tags: "a,".repeat(20_000) },
    { input: `{"query":"${"x".repeat(20_000)}"}` },
    { query: "x", metadata: '{"__proto__":{"status":"draft"}}' },
    { query: "x", ...many },
    JSON.parse('{"query":"x","__proto__":{"top":1}}'),
    JSON.parse('{"input":{"query":"x","__proto__":"5"}}'),
  ];
  for (const args of hostile) {
    const { result } = parseArguments(input, args);
    assertEquals(result.success, false, JSON.stringify(args).slice(0, 80));
  }
});

Deno.test("a call with too many problems is not corrected at all", () => {
  const { input } = toolNamed("kb_search");
  const wrong = Array.from({ length: 63 }, (_, i) => i);
  const args = { query: 1, tags: wrong, tags_any: wrong };
  const parsed = parseArguments(input, args);
  assertEquals([parsed.result.success, parsed.arguments === args], [false, true]);
});

Deno.test("null as text removes a document from its collection", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  const document_id = await kb.note({ text: "A heron.", collection: "memory" });
  assertEquals((await kb.call(kbSetCollection, { document_id, collection: "null" })).collection, null);
  const collections = new Collections(["null"]);
  const moved = await kb.call(kbSetCollection, { document_id, collection: "null" }, { collections });
  assertEquals(moved.collection, "null");
});

Deno.test("several collections in one text are that list, in filters only", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  await kb.note({ text: "A heron.", collection: "memory" });
  await kb.note({ text: "A heron wades.", collection: "documents" });
  for (const collection of ["memory, documents", '["memory","documents"]']) {
    assertEquals((await kb.call(kbList, { collection })).total, 2);
  }
  assertEquals((await kb.call(kbList, { collection: '["memory"]' })).total, 1);
});

for (
  const [collection, got] of [["all", '"all"'], ["*", '"*"'], ["memory,*", '"*"'], [",", "an empty list"]]
) {
  Deno.test(`the collection ${JSON.stringify(collection)} is an error that says how to search all`, async () => {
    await using kb = await openHarness({ placement: "embedded", handler: noEngine });
    const { json } = await callTool(toolNamed("kb_search"), {
      arguments: { query: "x", collection },
      context: kb.context,
      resourceLinks: true,
    });
    assertStringIncludes(
      JSON.parse(joinText(json)).content[0].text,
      `collection must name a collection, got ${got}: omit it to search all.`,
    );
  });
}

Deno.test("a language code may have capitals and a region", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  await kb.note({ text: "Der Reiher steht im Schilf und wartet auf einen Fisch, der vorbeikommt." });
  for (const language of ["de", "DE", "de-AT", "de_DE"]) {
    assertEquals((await kb.call(kbSearch, { query: "Reiher", language })).results.length, 1, language);
  }
});

function noEngine(): Response {
  throw new Error("the engine was called");
}
