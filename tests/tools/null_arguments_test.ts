import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { callTool } from "../../src/mcp/call_tool.ts";
import { kbSearch } from "../../src/tools/kb_search.ts";
import { kbSetCollection } from "../../src/tools/kb_set_collection.ts";
import { tools } from "../../src/tools/mod.ts";
import { withoutNullArguments } from "../../src/tools/null_arguments.ts";
import { openHarness } from "../support/harness.ts";
import { joinText } from "../../src/text/mod.ts";

Deno.test("null for every optional argument is the same as omitting them", async () => {
  await using kb = await openHarness({ placement: "embedded" });
  await kb.note({ text: "A heron." });
  const search = tools.find(({ name }) => name === "kb_search");
  assert(search);
  const left = ["top", "collection", "tags", "doc_type", "since", "until", "fts_only"].map((
    name,
  ) => [name, null]);
  const { json } = await callTool(search, {
    arguments: { query: "heron", ...Object.fromEntries(left) },
    context: kb.context,
    resourceLinks: true,
  });
  const result = JSON.parse(joinText(json));
  assertEquals([result.isError, result.structuredContent?.results.length], [
    undefined,
    1,
  ]);
});

Deno.test("null is kept where the tool accepts it, and for unknown arguments", () => {
  const move = { document_id: 1, collection: null };
  assertEquals(withoutNullArguments(kbSetCollection.input, move), move);
  for (const name of ["colour", "constructor", "toString"]) {
    assertEquals(withoutNullArguments(kbSearch.input, { query: "x", [name]: null }), {
      query: "x",
      [name]: null,
    });
  }
});

Deno.test("arguments without null are not copied", () => {
  const args = { query: "x", tags: [null] };
  assert(withoutNullArguments(kbSearch.input, args) === args);
});

Deno.test("null for a required argument is an error", async () => {
  await using kb = await openHarness({
    placement: "embedded",
    handler: () => new Response("", { status: 500 }),
  });
  const search = tools.find(({ name }) => name === "kb_search");
  assert(search);
  const { json } = await callTool(search, {
    arguments: { query: null, since: null },
    context: kb.context,
    resourceLinks: true,
  });
  assertStringIncludes(joinText(json), "kb_search: query must be a string, got null.");
});
