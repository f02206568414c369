import { EngineClient } from "../client/mod.ts";
import type { Config } from "../config/mod.ts";
import type { Engine } from "../engine/mod.ts";
import type { Logger } from "../telemetry/mod.ts";
import { openEngine } from "./open_engine.ts";

/** An engine that can be called. */
export interface ConnectedEngine {
  readonly client: EngineClient;
  /** The embedded one, to be closed. */
  readonly engine: Engine | undefined;
  /** Its URL, or what the embedded one works on. */
  readonly name: string;
}

/**
 * The engine of the configuration: the one at `KB_ENGINE_URL`, else the embedded one, opened here.
 *
 * @throws {ConfigError} When the data directory cannot be used.
 */
export async function connectEngine(
  config: Config,
  { log, defaultDataDir }: { log: Logger; defaultDataDir: () => string },
): Promise<ConnectedEngine> {
  const limits = {
    timeoutMs: config.KB_ENGINE_TIMEOUT,
    connectTimeoutMs: config.KB_ENGINE_CONNECT_TIMEOUT,
    maxResponseBytes: config.KB_ENGINE_MAX_ANSWER,
    log,
  };
  const apiKey = config.KB_API_KEY === undefined ? {} : { apiKey: config.KB_API_KEY };
  const baseUrl = config.KB_ENGINE_URL;
  if (baseUrl !== undefined) {
    const client = new EngineClient({ baseUrl, ...apiKey, ...limits });
    return { client, engine: undefined, name: baseUrl };
  }
  const { engine, dataDir } = await openEngine(config, { log, defaultDataDir });
  const client = new EngineClient({
    baseUrl: "http://embedded",
    ...apiKey,
    ...limits,
    fetch: (request) => engine.fetch(request),
  });
  return { client, engine, name: `embedded, data in ${dataDir}` };
}
