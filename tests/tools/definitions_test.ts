import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { TOKEN_BUDGET, tokenCost } from "../../scripts/token_cost.ts";
import { listTools } from "../../src/mcp/tool_list.ts";
import { instructions, tools } from "../../src/tools/mod.ts";

interface Listed {
  properties?: Record<string, { description?: string }>;
  additionalProperties?: unknown;
}

Deno.test("the tools are the eleven of the product, in a stable order", () => {
  assertEquals(tools.map(({ name }) => name), [
    "kb_search",
    "kb_get",
    "kb_addnote",
    "kb_update_note",
    "kb_upload_start",
    "kb_upload_chunk",
    "kb_upload_finish",
    "kb_set_collection",
    "kb_delete",
    "kb_jobs",
    "kb_status",
  ]);
});

Deno.test("the whole tool list, icons included, costs an agent no more than 4,500 tokens", () => {
  assertEquals(TOKEN_BUDGET, 4500);
  const { total } = tokenCost();
  assert(total <= TOKEN_BUDGET, `the list costs ${total} tokens: see \`deno task tokens\``);
});

for (const tool of listTools(tools).tools) {
  Deno.test(`${tool.name} says what a client needs: name, title, hints, and a description of every argument`, () => {
    assertMatch(tool.name, /^[A-Za-z0-9_.-]{1,128}$/);
    assert(tool.title.length > 0 && tool.description.length > 0);
    for (const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]) {
      assertEquals(typeof tool.annotations[hint], "boolean", hint);
    }
    const input = tool.inputSchema as Listed;
    assertEquals(input.additionalProperties, false);
    for (const [name, { description }] of Object.entries(input.properties ?? {})) {
      assert(description, `${name} has no description`);
    }
    assertEquals([tool.inputSchema.type, tool.outputSchema.type], ["object", "object"]);
  });
}

Deno.test("a tool changes something exactly when it needs the write scope", () => {
  for (const { name, annotations, scope } of tools) {
    assertEquals(annotations.readOnlyHint, scope === "read", name);
    assert(!(annotations.readOnlyHint && annotations.destructiveHint), name);
  }
  assertEquals(tools.find(({ name }) => name === "kb_delete")?.annotations.destructiveHint, true);
});

Deno.test("kb_search carries the guidance on expanding and reranking (decision D6)", () => {
  const description = tools[0]?.description ?? "";
  assertStringIncludes(description, "2–3 variant phrasings");
  assertStringIncludes(description, "deduplicating results by chunk_id");
  assertStringIncludes(description, "rerank the returned results using your own judgement");
});

Deno.test("the instructions name only tools that there are", () => {
  const names = new Set(tools.map(({ name }) => name));
  const named = instructions.match(/kb_\w+/g) ?? [];
  assert(named.length > 0);
  for (const name of named) assert(names.has(name), name);
});
