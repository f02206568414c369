import { assertEquals } from "@std/assert";
import { startEngine } from "../../src/cli/engine.ts";
import { loadConfig } from "../../src/config/mod.ts";
import { silentLogger } from "../../src/telemetry/mod.ts";

Deno.test("wrong keys of an address are limited, and the right one is accepted", async () => {
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-test-" });
  const env: Record<string, string> = {
    KB_ENGINE_PORT: "0",
    KB_DATA_DIR: dataDir,
    KB_EMBEDDINGS_MODEL: "off",
    KB_API_KEY: "a-key-of-some-length",
  };
  const config = loadConfig({ env: (name) => env[name], readFile: () => "" });
  const options = { log: silentLogger, defaultDataDir: () => dataDir };
  {
    await using engine = await startEngine(config, options);
    const status = async (key: string) => {
      const response = await fetch(`${engine.url}/api/v1/status`, {
        headers: { authorization: `Bearer ${key}` },
      });
      await response.body?.cancel();
      return response.status;
    };
    for (let i = 0; i < 10; i++) assertEquals(await status(`guess-${i}`), 401);
    assertEquals([await status("guess"), await status("a-key-of-some-length")], [429, 200]);
  }
  await Deno.remove(dataDir, { recursive: true });
});
