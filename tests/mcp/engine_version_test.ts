import { assertEquals, assertMatch } from "@std/assert";
import { callTool } from "../../src/mcp/call_tool.ts";
import { tools } from "../../src/tools/mod.ts";
import { openHarness } from "../support/harness.ts";
import { joinText } from "../../src/text/mod.ts";

const ARGUMENTS: Record<string, Record<string, unknown>> = {
  kb_list: {},
  kb_edit: { document_id: 1, append: "x" },
  kb_history: { document_id: 1 },
  kb_restore: { document_id: 1 },
};

for (const [name, args] of Object.entries(ARGUMENTS)) {
  const tool = tools.find((each) => each.name === name)!;

  Deno.test(`${name} is not sent to an engine that is too old for it`, async () => {
    await using kb = await openHarness({
      placement: "embedded",
      handler: () => Response.json({ version: "3.2.0" }),
    });
    const { json } = await callTool(tool, { arguments: args, context: kb.context, resourceLinks: true });
    const result = JSON.parse(joinText(json));
    assertEquals(result.isError, true);
    assertMatch(
      result.content[0].text,
      new RegExp(
        `^${name} needs an engine with contract version 3\\.3\\.0 or later, but the engine at .* has 3\\.2\\.0\\. Nothing`,
      ),
    );
    assertEquals(kb.paths(), ["GET /api/v1/status"]);
  });

  Deno.test(`${name} is tried on an engine whose version says nothing`, async () => {
    const handler = ({ url }: Request) =>
      url.endsWith("/status") ? Response.json({ version: "2026.11.0" }) : new Response(null, { status: 404 });
    await using kb = await openHarness({ placement: "embedded", handler });
    const { json } = await callTool(tool, { arguments: args, context: kb.context, resourceLinks: true });
    const result = JSON.parse(joinText(json));
    assertEquals([result.isError, kb.paths().at(-1) === "GET /api/v1/status"], [true, false]);
  });
}
