import { type RunningServer, startServer } from "../../src/cli/serve.ts";
import { loadConfig, type SettingName } from "../../src/config/mod.ts";
import type { Prompts } from "../../src/prompts/mod.ts";
import type { Resources } from "../../src/resources/mod.ts";
import { type Logger, silentLogger } from "../../src/telemetry/mod.ts";
import type { Tool } from "../../src/tools/mod.ts";
import { writeNewDatabase } from "./new_database.ts";
import { pooledThreads } from "./pooled_threads.ts";

/**
 * Options of {@linkcode startTestServer}. Default: a server with an embedded engine and no embedding model, on a
 * free loopback port.
 */
export interface TestServerOptions {
  readonly env?: Partial<Record<SettingName, string>>;
  readonly tools?: readonly Tool[];
  readonly resources?: Resources;
  readonly prompts?: Prompts;
  readonly log?: Logger;
  /** Whether the engine starts its threads, as in the program, instead of sharing those of other tests. @default {false} */
  readonly hasOwnThreads?: boolean;
}

const readFile = Deno.readTextFileSync;

/** Starts the server in this process, with a temporary data directory. */
export async function startTestServer(options: TestServerOptions = {}): Promise<RunningServer> {
  const dataDir = await Deno.makeTempDir({ prefix: "kb-mcp-test-" });
  if (options.env?.KB_ENGINE_URL === undefined) writeNewDatabase(dataDir);
  const env: Record<string, string> = {
    KB_MCP_PORT: "0",
    KB_DATA_DIR: dataDir,
    KB_EMBEDDINGS_MODEL: "off",
    // A busy machine must fail no test: its disk may stand still for half a minute.
    KB_ENGINE_TIMEOUT: "2m",
    KB_ENGINE_CONNECT_TIMEOUT: "30s",
    ...options.env,
  };
  const config = loadConfig({ env: (name) => env[name], readFile });
  const server = await startServer(config, {
    log: options.log ?? silentLogger,
    defaultDataDir: () => dataDir,
    ...(options.hasOwnThreads ? {} : { threads: pooledThreads }),
    ...(options.tools === undefined ? {} : { tools: options.tools }),
    ...(options.resources === undefined ? {} : { resources: options.resources }),
    ...(options.prompts === undefined ? {} : { prompts: options.prompts }),
  });
  return {
    url: server.url,
    engine: server.engine,
    warmUp: () => server.warmUp(),
    shutdown: () => server.shutdown(),
    async [Symbol.asyncDispose]() {
      await server.shutdown();
      await Deno.remove(dataDir, { recursive: true });
    },
  };
}
