/**
 * `deno task day`: plays an agent's whole day with the official MCP client, and prints calls and tokens per task.
 *
 * @module
 */
import { startServer } from "../src/cli/serve.ts";
import { loadConfig } from "../src/config/mod.ts";
import { createLogger } from "../src/telemetry/mod.ts";
import { playDay, type TaskCost } from "../tests/scenarios/day.ts";
import { connectAgent } from "../tests/support/mcp_client.ts";
import { serveEngine } from "../tests/support/serve_engine.ts";
import { print } from "./print.ts";

const PLACEMENTS = ["in this process", "over HTTP"] as const;

/** Plays the day over a temporary directory. */
async function costsOf(placement: (typeof PLACEMENTS)[number]): Promise<TaskCost[]> {
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-day-" });
  try {
    await using engine = placement === "over HTTP" ? await serveEngine() : undefined;
    const env: Record<string, string> = {
      KB_MCP_PORT: "0",
      KB_DATA_DIR: dataDir,
      KB_EMBEDDINGS_MODEL: "off",
      ...(engine && { KB_ENGINE_URL: engine.url }),
    };
    const config = loadConfig({ env: (name) => env[name], readFile: Deno.readTextFileSync });
    await using server = await startServer(config, {
      log: createLogger("warn"),
      defaultDataDir: () => dataDir,
    });
    await using agent = await connectAgent(server.url);
    return await playDay(agent);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
}

for (const placement of PLACEMENTS) {
  print(`\nEngine ${placement}:\n`);
  print("| Task | Calls | Tokens | Before contract 3.3 |\n| --- | --- | --- | --- |");
  for (const { task, calls, tokens, before } of await costsOf(placement)) {
    print(`| ${task} | ${calls} | ${tokens} | ${before} |`);
  }
}
