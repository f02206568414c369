import type { Config } from "../config/mod.ts";
import { ERROR_STATUS, type ErrorCode } from "../contract/mod.ts";
import { type HostPolicy, hostPolicy, isLoopback } from "../http/mod.ts";
import { type Logger, MetricsRegistry, startTracing } from "../telemetry/mod.ts";
import { addProcessMetrics } from "../telemetry/process_metrics.ts";
import { VERSION } from "../version.ts";
import { type HttpRequest, jsonResponse } from "../web/mod.ts";
import { allowedHosts } from "./allowed_hosts.ts";
import { listen, type Service } from "./listen.ts";
import { openLocalEndpoint } from "./local_endpoint.ts";
import { openForServer } from "./connection.ts";
import { randomToken } from "./local_file.ts";
import { openEngine } from "./open_engine.ts";
import { warmUp } from "./warm_up.ts";

/** A running engine. */
export interface RunningEngine extends Service {
  /** Its data directory. */
  readonly dataDir: string;
  /** Starts threads and loads indexes before the first request needs them. */
  warmUp(): Promise<void>;
}

/**
 * Composition root of `kb-mcp engine`: serves the embedded engine's HTTP API.
 *
 * @throws {ConfigError} When the address cannot be bound or the data directory cannot be used.
 */
export async function startEngine(
  config: Config,
  options: { log: Logger; defaultDataDir: () => string },
): Promise<RunningEngine> {
  const { log } = options;
  const metrics = new MetricsRegistry();
  addProcessMetrics(metrics, VERSION);
  await using resources = new AsyncDisposableStack();
  const localToken = randomToken();
  const { engine, dataDir } = await openForServer(
    () => openEngine(config, { ...options, localToken, metrics, isServer: true }),
    { dataDir: () => config.KB_DATA_DIR ?? options.defaultDataDir(), log },
  );
  resources.use(engine);
  if (config.KB_API_KEY === undefined && !isLoopback(config.KB_ENGINE_HOST)) {
    log.warn("no authentication: every client that reaches this address has full access. Set KB_API_KEY", {
      bind: config.KB_ENGINE_HOST,
    });
  }
  const isAllowedHost = hostPolicy(
    allowedHosts({ bind: config.KB_ENGINE_HOST, configured: config.KB_ENGINE_ALLOWED_HOSTS }),
  );
  const stopping = new AbortController();
  const local = resources.use(openLocalEndpoint({ engine, dataDir, token: localToken, log }));
  const service = listen({
    hostname: config.KB_ENGINE_HOST,
    port: config.KB_ENGINE_PORT,
    settings: "KB_ENGINE_HOST and KB_ENGINE_PORT",
    server: "engine",
    metrics,
    handler: (request, connection) => {
      const rejected = checkSource(request, isAllowedHost);
      return rejected ? Promise.resolve(rejected) : engine.fetch(request, connection);
    },
    errorResponse: (status, message) => {
      const code: ErrorCode = status === 500 ? "internal" : status === 408 ? "timeout" : "invalid";
      return jsonResponse({ error: { code, message } }, { status });
    },
    maxConnections: config.KB_ENGINE_MAX_CONNECTIONS,
    resources,
    onShutdown: () => {
      stopping.abort();
      void local?.shutdown();
    },
    log,
  });
  await startTracing(metrics);
  return { ...service, dataDir, warmUp: () => warmUp([() => engine.warmUp()], stopping.signal) };
}

/**
 * Rejects requests for other hosts (DNS rebinding) and requests from web pages: without a key, a page could
 * post a form to an engine on a loopback address.
 */
function checkSource(request: HttpRequest, isAllowedHost: HostPolicy): Response | undefined {
  if (!isAllowedHost(request.headers.get("host"))) {
    return forbidden(
      "The engine does not serve this Host name. Its operator can allow it with KB_ENGINE_ALLOWED_HOSTS",
    );
  }
  if (request.headers.has("origin")) return forbidden("The engine does not serve web pages");
  return undefined;
}

function forbidden(message: string): Response {
  const code = "host_not_allowed";
  return jsonResponse({ error: { code, message } }, { status: ERROR_STATUS[code] });
}
