/** A server of the scripted day. */
import { type RunningServer, startServer } from "../../src/cli/serve.ts";
import { loadConfig } from "../../src/config/mod.ts";
import type { Logger } from "../../src/telemetry/mod.ts";
import { connectAgent } from "../support/mcp_client.ts";
import type { Placement } from "../support/harness.ts";
import { serveEngine } from "../support/serve_engine.ts";
import { playDay, type TaskCost } from "./day.ts";

/** Plays the day over a temporary directory, with the engine in this process or behind a socket. */
export async function playDayAt(placement: Placement, log: Logger): Promise<TaskCost[]> {
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-day-" });
  try {
    await using engine = placement === "over HTTP" ? await serveEngine() : undefined;
    await using server = await start(dataDir, { engineUrl: engine?.url, log });
    await using agent = await connectAgent(server.url);
    return await playDay(agent);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
}

function start(
  dataDir: string,
  { engineUrl, log }: { engineUrl: string | undefined; log: Logger },
): Promise<RunningServer> {
  const env: Record<string, string> = {
    KB_MCP_PORT: "0",
    KB_DATA_DIR: dataDir,
    KB_EMBEDDINGS_MODEL: "off",
    // The costs of the day are those of calls that see their job end, however busy the machine is.
    KB_MCP_JOB_WAIT: "30s",
    ...(engineUrl === undefined ? {} : { KB_ENGINE_URL: engineUrl }),
  };
  const config = loadConfig({ env: (name) => env[name], readFile: Deno.readTextFileSync });
  return startServer(config, { log, defaultDataDir: () => dataDir });
}
