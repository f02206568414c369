import { EngineClient, type EngineClientOptions } from "../client/mod.ts";
import type { Config } from "../config/mod.ts";
import { CONTRACT_VERSION } from "../contract/mod.ts";
import type { Engine } from "../engine/mod.ts";
import type { Logger } from "../telemetry/mod.ts";
import { openEngine, type OpenEngineOptions } from "./open_engine.ts";

/** A connection to an engine. */
export interface ConnectedEngine {
  readonly client: EngineClient;
  /** The embedded engine, to be closed by the caller. */
  readonly engine: Engine | undefined;
  /** The embedded engine's data directory. */
  readonly dataDir: string | undefined;
  /** Whether the engine is that of a data directory on this machine. */
  readonly isEmbedded: boolean;
  /** Its URL, or the data directory of the embedded one. */
  readonly name: string;
}

/**
 * Connects to the engine at `KB_ENGINE_URL`; opens the embedded one if that is unset.
 *
 * @throws {ConfigError} When the data directory cannot be used.
 */
export async function connectEngine(
  config: Config,
  { log, ...options }: OpenEngineOptions,
): Promise<ConnectedEngine> {
  const baseUrl = config.KB_ENGINE_URL;
  if (baseUrl !== undefined) {
    const client = createClient({ baseUrl, apiKey: config.KB_API_KEY }, config, log);
    return { client, engine: undefined, dataDir: undefined, isEmbedded: false, name: baseUrl };
  }
  const { engine, dataDir } = await openEngine(config, { log, ...options });
  const client = embeddedClient(
    // Known, so that no call requests the status: its counts take long in a large store.
    { fetch: (request) => engine.fetch(request), local: () => engine, version: CONTRACT_VERSION },
    config,
    log,
  );
  return { client, engine, dataDir, isEmbedded: true, name: `embedded, data in ${dataDir}` };
}

/** Creates a client with the limits of the configuration. */
export function createClient(
  engine: Pick<EngineClientOptions, "baseUrl" | "name" | "apiKey" | "fetch" | "local" | "version">,
  config: Config,
  log: Logger,
): EngineClient {
  return new EngineClient({
    ...engine,
    timeoutMs: config.KB_ENGINE_TIMEOUT,
    connectTimeoutMs: config.KB_ENGINE_CONNECT_TIMEOUT,
    maxResponseBytes: config.KB_ENGINE_MAX_ANSWER,
    log,
  });
}

/** Creates a client of the embedded engine. */
export function embeddedClient(
  engine: Pick<EngineClientOptions, "fetch" | "local" | "version">,
  config: Config,
  log: Logger,
): EngineClient {
  const apiKey = config.KB_API_KEY;
  const options = { baseUrl: "http://embedded", name: "embedded engine", apiKey, ...engine };
  return createClient(options, config, log);
}
