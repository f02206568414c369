import { assertEquals } from "@std/assert";
import { openDispatcher } from "../support/dispatcher.ts";
import { request, stateless } from "../support/messages.ts";
import { startTestServer } from "../support/server.ts";

const VERSIONS: [version: string | undefined, hasLinks: boolean][] = [
  [undefined, false],
  ["2025-03-26", false],
  ["2025-06-18", true],
  ["2025-11-25", true],
  ["2026-07-28", true],
];
for (const [version, hasLinks] of VERSIONS) {
  Deno.test(`results ${hasLinks ? "have" : "have no"} links in ${version ?? "no version"} if they are on`, async () => {
    for (const isOn of [true, false]) {
      await using mcp = await openDispatcher([], isOn);
      const { message } = version === "2026-07-28"
        ? await mcp.send(...stateless("tools/call", { name: "link", arguments: {} }))
        : await mcp.send(
          request("tools/call", { name: "link", arguments: {} }),
          version === undefined ? {} : { "mcp-protocol-version": version },
        );
      const types = message.result.content.map(({ type }: { type: string }) => type);
      assertEquals(types, isOn && hasLinks ? ["text", "resource_link"] : ["text"]);
    }
  });
}

for (
  const [setting, types] of [["off", ["text"]], ["on", ["text", "resource_link"]], [undefined, [
    "text",
  ]]] as const
) {
  Deno.test(`KB_MCP_RESOURCE_LINKS ${setting ?? "unset"}: a search returns ${types.join(" and ")}`, async () => {
    const env = setting === undefined ? {} : { KB_MCP_RESOURCE_LINKS: setting };
    await using server = await startTestServer({ env });
    const call = async (name: string, args: unknown) => {
      const response = await fetch(`${server.url}/mcp`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": "2025-11-25",
        },
        body: JSON.stringify(request("tools/call", { name, arguments: args })),
      });
      return (await response.json()).result;
    };
    const { structuredContent } = await call("kb_addnote", { text: "A heron wades." });
    assertEquals(structuredContent.outcome, "created");
    const { content } = await call("kb_search", { query: "heron" });
    assertEquals(content.map(({ type }: { type: string }) => type), types);
  });
}
