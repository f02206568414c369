import { assert, assertEquals, assertMatch } from "@std/assert";
import { SOURCE_TOOL_BUDGETS, tokenCost } from "../../scripts/token_cost.ts";
import { toolsFor } from "../../src/cli/serve.ts";
import { listTools } from "../../src/mcp/tool_list.ts";
import { sourceTools } from "../../src/source_tools/mod.ts";
import { tools } from "../../src/tools/mod.ts";
import { connectAgent } from "../support/mcp_client.ts";
import { startTestServer } from "../support/server.ts";

const FOLDER = new URL("./__snapshots__/", import.meta.url);

if (Deno.env.get("UPDATE_SNAPSHOTS") === "1") {
  await Deno.remove(FOLDER, { recursive: true }).catch(() => {});
  await Deno.mkdir(FOLDER);
  for (const tool of listTools(sourceTools).tools) {
    await Deno.writeTextFile(new URL(`${tool.name}.json`, FOLDER), JSON.stringify(tool, null, 2) + "\n");
  }
}

Deno.test("the tools for sources add at most 1,150 tokens for the model and 1,900 on the wire", () => {
  assertEquals(SOURCE_TOOL_BUDGETS, { model: 1_150, wire: 1_900 });
  const { model, wire } = tokenCost(sourceTools);
  assert(model <= SOURCE_TOOL_BUDGETS.model, `the model reads ${model} tokens: see \`deno task tokens\``);
  assert(wire <= SOURCE_TOOL_BUDGETS.wire, `the list has ${wire} tokens: see \`deno task tokens\``);
});

Deno.test("each tool for sources is listed like its committed snapshot", async () => {
  const listed = listTools(sourceTools).tools;
  for (const tool of listed) {
    assertEquals(
      JSON.parse(await Deno.readTextFile(new URL(`${tool.name}.json`, FOLDER))),
      tool,
      `${tool.name} differs from its snapshot. If the change is intended, run ` +
        "`UPDATE_SNAPSHOTS=1 deno test -A tests/source_tools/definitions_test.ts` and commit the file.",
    );
  }
  const files = (await Array.fromAsync(Deno.readDir(FOLDER), ({ name }) => name)).toSorted();
  assertEquals(files, listed.map(({ name }) => `${name}.json`).toSorted());
});

Deno.test("each tool for sources has the house form, and needs an engine with sources", () => {
  for (const tool of listTools(sourceTools).tools) {
    assertMatch(tool.description, /\n\nUse this tool when you need to:\n- [A-Z]/, tool.name);
    const input = tool.inputSchema as { properties?: Record<string, { description?: string }> };
    for (const [name, { description }] of Object.entries(input.properties ?? {})) {
      assert(description, `${tool.name}: ${name} has no description`);
    }
  }
  assert(sourceTools.every(({ engineVersion }) => engineVersion === "3.4.0"));
  const changing = sourceTools.filter(({ annotations }) => !annotations.readOnlyHint).map(({ name }) => name);
  assertEquals(changing, ["kb_write", "kb_reindex"]);
  assert(!sourceTools.some(({ annotations }) => annotations.destructiveHint));
});

Deno.test("KB_MCP_SOURCE_TOOLS adds the tools for sources; unset, an engine with sources does", () => {
  const added = (setting: "on" | "off" | undefined, hasSources: boolean) =>
    toolsFor({ KB_MCP_COMPAT: undefined, KB_MCP_SOURCE_TOOLS: setting }, hasSources)
      .slice(tools.length).map(({ name }) => name);
  const names = sourceTools.map(({ name }) => name);
  assertEquals(names, [
    "kb_sections",
    "kb_context",
    "kb_digest",
    "kb_health",
    "kb_export",
    "kb_write",
    "kb_reindex",
  ]);
  assertEquals([added("on", false), added("off", true), added(undefined, true), added(undefined, false)], [
    names,
    [],
    names,
    [],
  ]);
});

Deno.test("a server with configured sources lists the tools for sources", async () => {
  const folder = await Deno.makeTempDir({ prefix: "kb-mcp-folder-" });
  {
    await using server = await startTestServer({ env: { KB_SOURCES: `${folder}:notes` } });
    await using agent = await connectAgent(server.url);
    const listed = (await agent.client.listTools()).tools.map(({ name }) => name);
    assertEquals(listed, [...tools, ...sourceTools].map(({ name }) => name));
  }
  await Deno.remove(folder);
});
