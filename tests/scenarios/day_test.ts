/** An agent's whole day on both placements of the engine, with limits on its costs. */
import { assert } from "@std/assert";
import { startServer } from "../../src/cli/serve.ts";
import { loadConfig } from "../../src/config/mod.ts";
import { silentLogger } from "../../src/telemetry/mod.ts";
import { connectAgent } from "../support/mcp_client.ts";
import { serveEngine } from "../support/serve_engine.ts";
import { playDay, type TaskCost } from "./day.ts";

/** Maximum costs of tasks: about a tenth above those measured, so that no change makes answers longer unnoticed. */
const LIMITS: Readonly<Record<string, Pick<TaskCost, "calls" | "tokens">>> = {
  "ingest 99 files": { calls: 198, tokens: 24_500 },
  "store 40 memories": { calls: 40, tokens: 1_060 },
  "answer 23 questions": { calls: 23, tokens: 10_400 },
  "five memories at once": { calls: 1, tokens: 265 },
  "list a folder of 98 pages": { calls: 1, tokens: 2_400 },
  "read the whole manual": { calls: 7, tokens: 81_000 },
  "notice a memory that is there": { calls: 2, tokens: 120 },
  "correct part of a note": { calls: 4, tokens: 350 },
  "meet another agent's change": { calls: 8, tokens: 660 },
};

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

      for (const [name, limit] of Object.entries(LIMITS)) {
        const cost = costs.find(({ task }) => task === name);
        assert(cost, name);
        assert(cost.calls <= limit.calls, `${name}: ${cost.calls} calls`);
        assert(cost.tokens <= limit.tokens, `${name}: ${cost.tokens} tokens`);
      }
    } finally {
      await Deno.remove(dataDir, { recursive: true });
    }
  });
}
