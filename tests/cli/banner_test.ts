import { assertEquals, assertStringIncludes } from "@std/assert";
import { banner, ownCommand } from "../../src/cli/banner.ts";

const OPTIONS = { url: "http://127.0.0.1:8808/mcp", hasKey: true, engine: "embedded" };

Deno.test("the printed command reads the key from where the server has read it", () => {
  assertStringIncludes(banner(OPTIONS), '--header "Authorization: Bearer $KB_MCP_API_KEY"');
  const text = banner({ ...OPTIONS, keyFile: "/etc/my key" });
  assertStringIncludes(text, `--header "Authorization: Bearer $(cat '/etc/my key')"`);
  assertEquals(text.includes("$KB_MCP_API_KEY"), false);
});

Deno.test("the banner names the command that there is in a clone or an installation", () => {
  assertEquals(ownCommand("file:///x/chunk-A.js"), "kb-mcp");
  assertStringIncludes(banner({ ...OPTIONS, command: ownCommand() }), " run -A main.ts connect --help\n");
  assertStringIncludes(banner(OPTIONS), " kb-mcp connect --help\n");
});

Deno.test("the banner names the web page, if there is one", () => {
  const url = "https://example.com/kb/mcp";
  assertStringIncludes(banner({ ...OPTIONS, url, hasPage: true }), "\nWeb page: https://example.com/kb/\n");
  assertEquals(banner(OPTIONS).includes("Web page"), false);
});
