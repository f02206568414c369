import { type EngineClient, EngineError } from "../client/mod.ts";
import { Collections } from "../collections/mod.ts";
import type { Config } from "../config/mod.ts";
import {
  createApp,
  hostPolicy,
  isLoopback,
  LOOPBACK_HOSTS,
  originPolicy,
  type ReadinessCheck,
} from "../http/mod.ts";
import { Dispatcher, PROTOCOL_VERSIONS } from "../mcp/mod.ts";
import { type Prompts, prompts as allPrompts } from "../prompts/mod.ts";
import { type Resources, resources as allResources } from "../resources/mod.ts";
import type { Logger } from "../telemetry/mod.ts";
import { instructions, type ServerInfo, type Tool, tools as allTools } from "../tools/mod.ts";
import { Uploads } from "../uploads/mod.ts";
import { NAME, VERSION } from "../version.ts";
import { connectEngine } from "./connect_engine.ts";
import type { Service } from "./lifecycle.ts";
import { listen } from "./listen.ts";

/** What {@linkcode startServer} does not take from the configuration. */
export interface ServeOptions {
  readonly log: Logger;
  /** Directory of the embedded engine when `KB_DATA_DIR` is unset. */
  readonly defaultDataDir: () => string;
  /** The tools; benchmarks add one that does nothing but answer, and conformance tests mount others. */
  readonly tools?: readonly Tool[];
  readonly resources?: Resources;
  readonly prompts?: Prompts;
}

/** A running MCP server. */
export interface RunningServer extends Service, AsyncDisposable {
  /** Base URL, without a trailing slash; MCP is at `/mcp` below it. */
  readonly url: string;
  /** URL of the engine, or the directory of the embedded one. */
  readonly engine: string;
  /** Loads now what the first request would have to wait for. */
  warmUp(): Promise<void>;
}

/** How long a readiness check may take, in milliseconds. */
const READINESS_TIMEOUT_MS = 1500;
/** How long running calls may take to finish once the server shuts down, in milliseconds. */
const DRAIN_MS = 5000;

/**
 * The composition root of `kb-mcp serve`: builds every part from the configuration, from the inside out.
 *
 * @throws {ConfigError} When a setting cannot be used: the port, the data directory.
 */
export async function startServer(config: Config, options: ServeOptions): Promise<RunningServer> {
  const { log } = options;
  await using undo = new AsyncDisposableStack();

  const { client, engine, name: engineName } = await connectEngine(config, options);
  if (engine) undo.use(engine);
  const uploads = undo.use(
    await Uploads.open({
      maxBytes: config.KB_UPLOAD_MAX_BYTES,
      maxPerCaller: config.KB_UPLOAD_MAX_PER_TOKEN,
      maxStagedBytes: config.KB_UPLOAD_MAX_STAGED,
      idleMs: config.KB_UPLOAD_IDLE,
      log,
    }),
  );
  const startedAt = Date.now();
  const server = (): ServerInfo => ({
    name: NAME,
    version: VERSION,
    protocol_versions: PROTOCOL_VERSIONS,
    engine: engine ? "embedded" : client.baseUrl,
    uptime_seconds: Math.floor((Date.now() - startedAt) / 1000),
  });
  const collections = new Collections(config.KB_COLLECTIONS);
  const draining = new AbortController();
  const dispatcher = undo.use(
    new Dispatcher(
      {
        name: NAME,
        title: "Knowledge base",
        version: VERSION,
        description: "Search your documents, and keep what your assistants should remember apart from them.",
        icon: "M0 0l3 1v7L0 7zM8 0L5 1v7l3-1z",
        instructions,
        tools: options.tools ?? allTools,
        resources: options.resources ?? allResources,
        prompts: options.prompts ?? allPrompts,
      },
      {
        engine: client,
        collections,
        uploads,
        log,
        jobWaitMs: config.KB_MCP_JOB_WAIT,
        server,
        draining: draining.signal,
      },
    ),
  );

  const keys = config.KB_MCP_API_KEY === undefined ? [] : [config.KB_MCP_API_KEY];
  const local = isLoopback(config.KB_MCP_HOST);
  if (keys.length === 0 && !local) {
    log.warn(
      "NO KEY SET: anyone who reaches this address can read, change and delete everything. Set KB_MCP_API_KEY",
      {
        bind: config.KB_MCP_HOST,
      },
    );
  }
  const checkReadiness = readinessOf(client, log);
  const app = undo.use(createApp({
    dispatcher,
    uploads,
    log,
    tokens: keys,
    isAllowedHost: hostPolicy(allowedHosts(config, local)),
    isAllowedOrigin: originPolicy(
      allowedOrigins(config),
      local && config.KB_MCP_ALLOWED_ORIGINS === undefined,
    ),
    maxBodyBytes: config.KB_MCP_MAX_BODY,
    bodyTimeoutMs: config.KB_MCP_BODY_TIMEOUT,
    maxConcurrent: config.KB_MCP_MAX_CONCURRENT,
    publicUrl: config.KB_MCP_PUBLIC_URL,
    checkReadiness,
  }));
  const listening = listen({
    hostname: config.KB_MCP_HOST,
    port: config.KB_MCP_PORT,
    settings: "KB_MCP_HOST and KB_MCP_PORT",
    handler: app.fetch,
    log,
  });
  const parts = undo.move();
  let stopped: Promise<void> | undefined;
  const shutdown = () =>
    stopped ??= (async () => {
      app.drain();
      draining.abort();
      await listening.close(DRAIN_MS);
      await parts.disposeAsync();
    })();
  const warmUp = async () => {
    engine?.warmUp();
    dispatcher.warmUp();
    // Says in the log at once what is wrong with the engine, and not when the first agent meets it.
    await checkReadiness();
  };
  return { url: listening.url, engine: engineName, warmUp, shutdown, [Symbol.asyncDispose]: shutdown };
}

function allowedHosts(config: Config, local: boolean): readonly string[] | undefined {
  if (!local && config.KB_MCP_ALLOWED_HOSTS === undefined) return undefined;
  const publicHost = config.KB_MCP_PUBLIC_URL === undefined ? [] : [new URL(config.KB_MCP_PUBLIC_URL).host];
  const bound = config.KB_MCP_HOST.includes(":")
    ? `[${config.KB_MCP_HOST.replace(/^\[|\]$/g, "")}]`
    : config.KB_MCP_HOST;
  return [
    ...(local ? LOOPBACK_HOSTS : []),
    bound.toLowerCase(),
    ...publicHost,
    ...(config.KB_MCP_ALLOWED_HOSTS ?? []),
  ];
}

function allowedOrigins(config: Config): readonly string[] {
  const own = config.KB_MCP_PUBLIC_URL === undefined ? [] : [new URL(config.KB_MCP_PUBLIC_URL).origin];
  return [...own, ...(config.KB_MCP_ALLOWED_ORIGINS ?? [])];
}

function readinessOf(client: EngineClient, log: Logger): ReadinessCheck {
  let wasReady = true;
  return async () => {
    try {
      await client.status({ timeoutMs: READINESS_TIMEOUT_MS });
      if (!wasReady) log.info("the engine can be called again");
      return wasReady = true;
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      if (wasReady) log.warn("the engine cannot be called", { code: error.code, error });
      return wasReady = false;
    }
  };
}
