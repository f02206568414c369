import { assert, assertEquals } from "@std/assert";
import { listTools } from "../../src/mcp/tool_list.ts";
import { tools } from "../../src/tools/mod.ts";

Deno.test("the title of a tool is not repeated in its annotations", () => {
  const [listed] = listTools(tools.slice(0, 1)).tools;
  assertEquals(Object.keys(listed!.annotations), [
    "readOnlyHint",
    "destructiveHint",
    "idempotentHint",
    "openWorldHint",
  ]);
});

Deno.test("the tools have no icons, which every conversation would load", () => {
  for (const tool of listTools(tools).tools) assert(!("icons" in tool), tool.name);
});
