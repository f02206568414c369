import { assertEquals, assertMatch } from "@std/assert";
import { iconOf } from "../../src/mcp/icon.ts";
import { listTools } from "../../src/mcp/tool_list.ts";
import { tools } from "../../src/tools/mod.ts";

Deno.test("an icon is an SVG with one path, as a Base64 data URI (MCP, Icon)", () => {
  const { src } = iconOf("M3 0h2v8H3z");
  const [head, data = ""] = src.split(",");
  assertEquals(head, "data:image/svg+xml;base64");
  assertEquals(
    atob(data),
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path fill="tan" d="M3 0h2v8H3z"/></svg>',
  );
});

Deno.test("every tool has its own icon, which consists of path data only", () => {
  const paths = tools.map(({ icon }) => icon ?? "");
  // The characters of SVG path data (SVG 2 §9.3); a quote or an angle bracket would end the attribute.
  for (const path of paths) assertMatch(path, /^M[MmLlHhVvAaZz0-9 .-]+$/);
  assertEquals(new Set(paths).size, tools.length);
  for (const { icons } of listTools(tools).tools) assertEquals(icons?.length, 1);
});

Deno.test("a tool without an icon has no icons member, and the title is not repeated in the annotations", () => {
  const { icon: _, ...plain } = tools[0]!;
  const [listed] = listTools([plain]).tools;
  assertEquals(listed?.icons, undefined);
  assertEquals(Object.keys(listed!.annotations), [
    "readOnlyHint",
    "destructiveHint",
    "idempotentHint",
    "openWorldHint",
  ]);
});
