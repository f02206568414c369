import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { TOKEN_BUDGETS, tokenCost } from "../../scripts/token_cost.ts";
import { includesScope, SCOPES } from "../../src/keys/mod.ts";
import { listTools } from "../../src/mcp/tool_list.ts";
import { instructionsFor, tools } from "../../src/tools/mod.ts";

interface Listed {
  properties?: Record<string, { description?: string }>;
}

Deno.test("the tools are listed in a stable order", () => {
  assertEquals(tools.map(({ name }) => name), [
    "kb_search",
    "kb_get",
    "kb_list",
    "kb_addnote",
    "kb_update_note",
    "kb_edit",
    "kb_upload_start",
    "kb_upload_chunk",
    "kb_upload_finish",
    "kb_set_collection",
    "kb_delete",
    "kb_history",
    "kb_restore",
    "kb_jobs",
    "kb_status",
  ]);
});

Deno.test("the tool list stays within 3,300 tokens for the model and 5,000 on the wire, the instructions within 320", () => {
  assertEquals(TOKEN_BUDGETS, { model: 3_300, wire: 5_000, instructions: 320 });
  const cost = tokenCost();
  const { model, wire } = cost;
  assert(
    cost.instructions <= TOKEN_BUDGETS.instructions,
    `the instructions have ${cost.instructions} tokens`,
  );
  assert(model <= TOKEN_BUDGETS.model, `the model reads ${model} tokens: see \`deno task tokens\``);
  assert(wire <= TOKEN_BUDGETS.wire, `the list has ${wire} tokens: see \`deno task tokens\``);
});

for (const tool of listTools(tools).tools) {
  Deno.test(`${tool.name} has a name, a title, all hints, and a description of every argument`, () => {
    assertMatch(tool.name, /^[A-Za-z0-9_.-]{1,128}$/);
    assert(tool.title.length > 0 && tool.description.length > 0);
    for (const hint of ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]) {
      assertEquals(typeof tool.annotations[hint], "boolean", hint);
    }
    const input = tool.inputSchema as Listed;
    for (const [name, { description }] of Object.entries(input.properties ?? {})) {
      assert(description, `${name} has no description`);
    }
    assertEquals([tool.inputSchema.type, tool.outputSchema.type], ["object", "object"]);
  });
}

Deno.test("the read-only tools are search, get, list, history and status, and none of them is destructive", () => {
  const readOnly = tools.filter(({ annotations }) => annotations.readOnlyHint);
  assertEquals(readOnly.map(({ name }) => name), [
    "kb_search",
    "kb_get",
    "kb_list",
    "kb_history",
    "kb_status",
  ]);
  assert(!readOnly.some(({ annotations }) => annotations.destructiveHint));
  assertEquals(tools.find(({ name }) => name === "kb_delete")?.annotations.destructiveHint, true);
});

for (const { name, description } of tools) {
  Deno.test(`${name} says when to use it, in bullets`, () => {
    assertMatch(description, /\n\nUse this tool when you need to:\n- [A-Z]/);
  });
}

Deno.test("kb_search has the guidance on expanding and reranking (decision D6)", () => {
  const description = tools[0]?.description ?? "";
  assertStringIncludes(description, "2–3 variant phrasings");
  assertStringIncludes(description, "deduplicating results by chunk_id");
  assertStringIncludes(description, "rerank the returned results using your own judgement");
});

for (const scope of SCOPES) {
  Deno.test(`the instructions for ${scope} name only existing tools that the scope can call`, () => {
    const names = new Set(tools.filter((tool) => includesScope(scope, tool.scope)).map(({ name }) => name));
    const named: string[] = instructionsFor(scope).match(/kb_\w+/g) ?? [];
    assert(named.length > 0);
    for (const name of named) assert(names.has(name), name);
    assertEquals(named.includes("kb_addnote"), scope !== "read");
  });
}
