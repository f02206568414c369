import { chatgptTools } from "../chatgpt/mod.ts";
import { type EngineClient, EngineError, hasContractVersion } from "../client/mod.ts";
import { Collections } from "../collections/mod.ts";
import { type Config, ConfigError } from "../config/mod.ts";
import type { EngineStatus } from "../contract/mod.ts";
import type { EngineThreads } from "../engine/mod.ts";
import {
  createApp,
  errorResponse,
  hostPolicy,
  isLoopback,
  originPolicy,
  type OwnPages,
  type Readiness,
  type ReadinessCheck,
} from "../http/mod.ts";
import { KeyFileError, KeyRing } from "../keys/mod.ts";
import { Dispatcher, PROTOCOL_VERSIONS } from "../mcp/mod.ts";
import { type Prompts, prompts as allPrompts } from "../prompts/mod.ts";
import { type Resources, resources as allResources } from "../resources/mod.ts";
import { sourceTools } from "../source_tools/mod.ts";
import { type Logger, MetricsRegistry, startTracing } from "../telemetry/mod.ts";
import { addProcessMetrics } from "../telemetry/process_metrics.ts";
import { systemReason } from "../text/mod.ts";
import { instructionsFor, type ServerInfo, type Tool, tools as allTools } from "../tools/mod.ts";
import { Uploads } from "../uploads/mod.ts";
import { NAME, VERSION } from "../version.ts";
import { allowedHosts } from "./allowed_hosts.ts";
import { type ConnectedEngine, connectEngine } from "./connect_engine.ts";
import { openForServer } from "./connection.ts";
import { listen, type Service } from "./listen.ts";
import { type LocalEndpoint, openLocalEndpoint } from "./local_endpoint.ts";
import { randomToken } from "./local_file.ts";
import { warmUp } from "./warm_up.ts";

/** Options of {@linkcode startServer}. */
export interface ServeOptions {
  readonly log: Logger;
  /** Returns the data directory of the embedded engine when `KB_DATA_DIR` is unset. */
  readonly defaultDataDir: () => string;
  /** An open connection to the engine, which the server does not close. @default one of the configuration */
  readonly connected?: ConnectedEngine;
  /** Starts the threads of the embedded engine. @default those of the engine */
  readonly threads?: EngineThreads | undefined;
  /** Tools to serve; benchmarks and conformance tests add their own. Default: all tools of kb-mcp. */
  readonly tools?: readonly Tool[];
  /** Resources to serve. Default: all resources of kb-mcp. */
  readonly resources?: Resources;
  /** Prompts to serve. Default: all prompts of kb-mcp. */
  readonly prompts?: Prompts;
}

/** A running MCP server, at `/mcp` below its URL. */
export interface RunningServer extends Service {
  /** URL of the engine, or the data directory of the embedded one. */
  readonly engine: string;
  /**
   * Checks the connection to the engine, then loads modules and indexes before the first request needs them.
   */
  warmUp(): Promise<void>;
}

/**
 * Returns the tools that a configuration selects.
 *
 * @param hasSources Whether the engine has sources, as far as that is known at the start.
 */
export function toolsFor(
  { KB_MCP_COMPAT, KB_MCP_SOURCE_TOOLS }: Pick<Config, "KB_MCP_COMPAT" | "KB_MCP_SOURCE_TOOLS">,
  hasSources = false,
): readonly Tool[] {
  const forSources = KB_MCP_SOURCE_TOOLS === "on" || (KB_MCP_SOURCE_TOOLS === undefined && hasSources);
  return [
    ...allTools,
    ...(forSources ? sourceTools : []),
    ...(KB_MCP_COMPAT === "chatgpt" ? chatgptTools : []),
  ];
}

/** States of an engine's storage in which it cannot store anything. */
const STORAGE_FAULTS = [
  "storage_full",
  "read_only",
  "storage_damaged",
  "writer_failed",
] as const satisfies readonly Readiness[];

/** Timeout of a readiness check, in milliseconds. */
const READINESS_TIMEOUT_MS = 1500;

/**
 * Composition root of `kb-mcp serve`: builds every part from the configuration, from the engine outwards.
 *
 * @throws {ConfigError} When the address cannot be bound or the data directory cannot be used.
 */
export async function startServer(config: Config, options: ServeOptions): Promise<RunningServer> {
  const { log } = options;
  const metrics = new MetricsRegistry();
  addProcessMetrics(metrics, VERSION);
  await using resources = new AsyncDisposableStack();

  const keys = await openKeys(config, log);
  const localToken = randomToken();
  const sourceAdded = Promise.withResolvers<void>();
  const { client, engine, dataDir, isEmbedded, name: engineName } = options.connected ??
    await openForServer(
      () =>
        connectEngine(config, {
          ...options,
          localToken,
          onSourceAdded: sourceAdded.resolve,
          metrics,
          isServer: true,
        }),
      { dataDir: () => config.KB_DATA_DIR ?? options.defaultDataDir(), log },
    );
  if (engine) resources.use(engine);
  const uploads = resources.use(await openUploads(config, log));
  const adaptsTools = config.KB_MCP_SOURCE_TOOLS === undefined && options.tools === undefined;
  const checkReadiness = readinessCheck({
    engine,
    client,
    log,
    onStatus: ({ version, sources }) => {
      // To an engine of another make, sources may be something else.
      if (sources && sources.total > 0 && hasContractVersion(version, "3.6.0")) sourceAdded.resolve();
    },
  });
  const hasSources = config.sources.length > 0 || (adaptsTools && await hasAnySource(client, { isEmbedded }));
  const startedAt = performance.now();
  const server = (): ServerInfo => ({
    name: NAME,
    version: VERSION,
    protocol_versions: PROTOCOL_VERSIONS,
    engine: isEmbedded ? "embedded" : client.baseUrl,
    uptime_seconds: Math.floor((performance.now() - startedAt) / 1000),
  });
  const stopping = new AbortController();
  const dispatcher = resources.use(
    new Dispatcher(
      {
        name: NAME,
        title: "Knowledge base",
        version: VERSION,
        description: "Search your documents, and keep what your assistants should remember apart from them.",
        icon: "M0 0l3 1v7L0 7zM8 0L5 1v7l3-1z",
        instructions: instructionsFor,
        resourceLinks: config.KB_MCP_RESOURCE_LINKS === "on",
        tools: options.tools ?? toolsFor(config, hasSources),
        resources: options.resources ?? allResources,
        prompts: options.prompts ?? allPrompts,
      },
      {
        engine: client,
        collections: new Collections(config.KB_COLLECTIONS),
        uploads,
        log,
        jobWaitMs: config.KB_MCP_JOB_WAIT,
        server,
        now: Date.now,
        draining: stopping.signal,
      },
      { metrics },
    ),
  );

  const isLocal = isLoopback(config.KB_MCP_HOST);
  if (config.KB_MCP_API_KEY === undefined && !keys && !isLocal) {
    log.warn(
      "no authentication: every client that reaches this address has full access. Set KB_MCP_API_KEY or KB_MCP_KEYS",
      {
        bind: config.KB_MCP_HOST,
      },
    );
  }
  addUploadMetrics(metrics, uploads);
  const hosts = allowedHosts({
    bind: config.KB_MCP_HOST,
    configured: config.KB_MCP_ALLOWED_HOSTS,
    publicUrl: config.KB_MCP_PUBLIC_URL,
  });
  const app = createApp({
    dispatcher,
    uploads,
    metrics,
    metricsToken: config.KB_METRICS_TOKEN,
    log,
    keys,
    tokens: config.KB_MCP_API_KEY === undefined ? [] : [config.KB_MCP_API_KEY],
    isAllowedHost: hostPolicy(hosts),
    isAllowedOrigin: originPolicy(
      allowedOrigins(config),
      isLocal && config.KB_MCP_ALLOWED_ORIGINS === undefined,
      ownPages(config, hosts),
    ),
    maxBodyBytes: config.KB_MCP_MAX_BODY,
    bodyTimeoutMs: config.KB_MCP_BODY_TIMEOUT,
    maxConcurrent: config.KB_MCP_MAX_CONCURRENT,
    publicUrl: config.KB_MCP_PUBLIC_URL,
    hasPage: config.KB_MCP_PAGE === "on",
    checkReadiness,
    needsRestart: () => engine?.needsRestart ?? false,
  });
  if (adaptsTools && !hasSources) {
    void sourceAdded.promise.then(() => dispatcher.setTools(toolsFor(config, true)));
  }
  let local: LocalEndpoint | undefined;
  resources.defer(() => local?.shutdown());
  const service = listen({
    hostname: config.KB_MCP_HOST,
    port: config.KB_MCP_PORT,
    settings: "KB_MCP_HOST and KB_MCP_PORT",
    server: "mcp",
    metrics,
    handler: app.fetch,
    errorResponse,
    maxConnections: config.KB_MCP_MAX_CONNECTIONS,
    resources,
    onShutdown: () => {
      app.drain();
      stopping.abort();
      void local?.shutdown();
    },
    log,
  });
  if (engine && dataDir !== undefined) {
    const mcpUrl = `${service.url}/mcp`;
    local = openLocalEndpoint({ engine, dataDir, token: localToken, mcpUrl, log });
  }
  await startTracing(metrics);
  return {
    ...service,
    engine: engineName,
    // The check comes first: it logs a problem with the engine before an agent runs into it.
    warmUp: () =>
      warmUp([checkReadiness, () => dispatcher.warmUp(), () => engine?.warmUp()], stopping.signal),
  };
}

/** @throws {ConfigError} When the keys file cannot be used. */
async function openKeys({ KB_MCP_KEYS: path }: Config, log: Logger): Promise<KeyRing | undefined> {
  if (path === undefined) return undefined;
  try {
    return await KeyRing.open({ path, log });
  } catch (cause) {
    if (!(cause instanceof KeyFileError)) throw cause;
    throw new ConfigError(
      `Cannot use the keys file ${JSON.stringify(path)} (KB_MCP_KEYS): ${cause.message}`,
      {
        cause,
      },
    );
  }
}

/** @throws {ConfigError} When the temporary directory cannot be used. */
async function openUploads(config: Config, log: Logger): Promise<Uploads> {
  try {
    return await Uploads.open({
      maxBytes: config.KB_UPLOAD_MAX_BYTES,
      maxPerCaller: config.KB_UPLOAD_MAX_PER_TOKEN,
      maxStagedBytes: config.KB_UPLOAD_MAX_STAGED,
      idleMs: config.KB_UPLOAD_IDLE,
      log,
    });
  } catch (cause) {
    const variable = Deno.build.os === "windows" ? "TEMP" : "TMPDIR";
    throw new ConfigError(
      `Cannot create a directory for uploads (${
        systemReason(cause)
      }): set ${variable} to a writable directory`,
      { cause },
    );
  }
}

function addUploadMetrics(metrics: MetricsRegistry, uploads: Uploads): void {
  metrics.observed("kb_mcp_uploads", {
    type: "gauge",
    help: "Unfinished uploads.",
    read: () => uploads.active.uploads,
  });
  metrics.observed("kb_mcp_upload_staged_bytes", {
    type: "gauge",
    help: "Bytes of unfinished uploads that have arrived.",
    read: () => uploads.active.bytes,
  });
}

function allowedOrigins(config: Config): readonly string[] {
  const own = config.KB_MCP_PUBLIC_URL === undefined ? [] : [new URL(config.KB_MCP_PUBLIC_URL).origin];
  return [...own, ...(config.KB_MCP_ALLOWED_ORIGINS ?? [])];
}

/** Where the web page of the server may use it. */
function ownPages(config: Config, hosts: readonly string[] | undefined): OwnPages {
  if (config.KB_MCP_PAGE === "off") return "none";
  const hasKey = config.KB_MCP_API_KEY !== undefined || config.KB_MCP_KEYS !== undefined;
  return hosts !== undefined || hasKey ? "at any host" : "at addresses";
}

/**
 * Whether an engine has sources. False if it cannot be asked: the server starts nevertheless, and says why. A remote one
 * that gets them later says so in its status.
 */
async function hasAnySource(
  engine: EngineClient,
  { isEmbedded }: { readonly isEmbedded: boolean },
): Promise<boolean> {
  try {
    const timeout = isEmbedded ? {} : { timeoutMs: READINESS_TIMEOUT_MS };
    return (await engine.sources(timeout)).length > 0;
  } catch (error) {
    if (error instanceof EngineError) return false;
    throw error;
  }
}

/** Returns a check that logs each change of the engine's readiness. */
function readinessCheck(
  { log, onStatus, ...connection }: EngineConnection & {
    readonly log: Logger;
    /** Receives the status of a remote engine. */
    readonly onStatus: (status: EngineStatus) => void;
  },
): ReadinessCheck {
  let last: Readiness = "ready";
  return async () => {
    const { readiness, status, error } = await readinessOf(connection);
    if (status) onStatus(status);
    if (readiness !== last) {
      if (readiness === "ready") log.info("the engine is ready again");
      else if (error) log.warn("the engine cannot be called", { code: error.code, error });
      else log.warn("the engine cannot store anything", { reason: readiness });
    }
    return last = readiness;
  };
}

/** The client of an engine, and the engine if it is in this process. */
interface EngineConnection {
  readonly engine: ConnectedEngine["engine"];
  readonly client: EngineClient;
}

async function readinessOf(
  { engine, client }: EngineConnection,
): Promise<{ readiness: Readiness; status?: EngineStatus | undefined; error?: EngineError }> {
  try {
    // Without the counts of the status, which take long in a large store.
    const status = engine ? undefined : await client.status({ timeoutMs: READINESS_TIMEOUT_MS });
    const current = engine ? await engine.storageState() : status?.storage?.state;
    // Engines without this field, and later states, count as ready.
    const state = STORAGE_FAULTS.find((fault) => fault === current);
    return { readiness: state ?? "ready", status };
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return { readiness: error.code === "storage_damaged" ? error.code : "engine not ready", error };
  }
}
