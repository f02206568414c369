import { assertEquals, assertRejects } from "@std/assert";
import { findConfigFile } from "../../src/cli/config_file.ts";
import { ConfigError } from "../../src/config/mod.ts";
import { temporaryFolder } from "../support/temporary_folder.ts";

Deno.test("a file of the working directory names servers of this machine only, unless it is chosen", async () => {
  await using folder = await temporaryFolder();
  const find = (env: Record<string, string> = {}) =>
    findConfigFile({ flags: undefined, env: (name) => env[name], directory: folder.path });
  for (const key of ["engine_url", "url", "embeddings_url"]) {
    for (const url of ["https://kb.example", "http://127.0.0.1@kb.example", "http://127.0.0.1.kb.example"]) {
      const toml = `${key} = "${url}"`;
      await folder.write("kb-mcp.toml", toml);
      await assertRejects(
        () => find(),
        ConfigError,
        `${key} in ${folder.path}/kb-mcp.toml must name a server`,
      );
      const chosen = await find({ KB_MCP_CONFIG: `${folder.path}/kb-mcp.toml` });
      assertEquals(chosen?.layer.get(key === "url" ? "KB_MCP_URL" : `KB_${key.toUpperCase()}`), url);
    }
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      await folder.write("kb-mcp.toml", `${key} = "http://${host}:8000"`);
      assertEquals((await find())?.path, `${folder.path}/kb-mcp.toml`);
    }
  }
  // recall and connect call the server there.
  for (const host of ["192.0.2.2", "kb.example", "2001:db8::1"]) {
    await folder.write("kb-mcp.toml", `host = "${host}"`);
    await assertRejects(
      () => find(),
      ConfigError,
      `host in ${folder.path}/kb-mcp.toml must be 127.0.0.1, ::1,`,
    );
    const chosen = await find({ KB_MCP_CONFIG: `${folder.path}/kb-mcp.toml` });
    assertEquals(chosen?.layer.get("KB_MCP_HOST"), host);
  }
  for (const host of ["127.0.0.1", "localhost", "::1", "0.0.0.0", "::"]) {
    await folder.write("kb-mcp.toml", `host = "${host}"`);
    assertEquals((await find())?.path, `${folder.path}/kb-mcp.toml`);
  }
});
