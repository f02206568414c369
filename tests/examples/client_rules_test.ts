import { assertEquals } from "@std/assert";
import { parse } from "yaml";
import { DEFAULT_MCP_URL } from "../../src/config/mod.ts";
import { read } from "../packaging/repository.ts";

const URL = DEFAULT_MCP_URL;

Deno.test("the rules for Cursor, Codex and Gemini have the same text", async () => {
  const rules = await read("examples/codex/AGENTS.md");
  assertEquals(await read("examples/gemini/GEMINI.md"), rules);
  const [, head = "", body] = /^---\n([^]*?)---\n\n([^]*)$/.exec(
    await read("examples/cursor/.cursor/rules/kb-memory.mdc"),
  )!;
  assertEquals(body, rules);
  assertEquals(parse(head), { description: "Use the memory of the kb MCP server", alwaysApply: true });
});

Deno.test("the configurations for Cursor, Codex and Gemini name the default address and take the key from the environment", async () => {
  const serverOf = async (path: string) => JSON.parse(await read(path)).mcpServers.kb;
  assertEquals(await serverOf("examples/cursor/.cursor/mcp.json"), {
    url: URL,
    headers: { Authorization: "Bearer ${env:KB_MCP_API_KEY}" },
  });
  assertEquals(await serverOf("examples/gemini/.gemini/settings.json"), {
    httpUrl: URL,
    headers: { Authorization: "Bearer $KB_MCP_API_KEY" },
  });
  const toml = await read("examples/codex/config.toml");
  assertEquals(toml.split("\n").slice(1), [
    "[mcp_servers.kb]",
    `url = "${URL}"`,
    'bearer_token_env_var = "KB_MCP_API_KEY"',
    "",
  ]);
});
