import type { KeyRing } from "../keys/mod.ts";
import type { Dispatcher } from "../mcp/mod.ts";
import { type Logger, MetricsRegistry } from "../telemetry/mod.ts";
import { handleUploadPut, type Uploads } from "../uploads/mod.ts";
import {
  clientAddress,
  type ConnectionInfo,
  FairShare,
  type HttpRequest,
  MAX_BUFFERED_BYTES,
  metricsRoute,
  MIN_BYTES_PER_MS,
  type Observation,
  observeRequests,
} from "../web/mod.ts";
import { errorResponse } from "./error_response.ts";
import { livenessHandler, type ReadinessCheck, readinessHandler, version } from "./health.ts";
import { homePage, PAGE_FILES, pageFile } from "./home_page.ts";
import { mcpHandler } from "./mcp_handler.ts";
import { authenticate } from "./middleware/bearer.ts";
import { compose, type Handler } from "./middleware/compose.ts";
import { cors } from "./middleware/cors.ts";
import { limitConcurrency } from "./middleware/concurrency.ts";
import { checkHost, type HostPolicy } from "./middleware/host.ts";
import { requireAcceptJson, requireJsonBody } from "./middleware/media_types.ts";
import { requireMethod } from "./middleware/method.ts";
import { checkOrigin, type OriginPolicy } from "./middleware/origin.ts";
import { notFound } from "./not_found.ts";

/** Options of {@linkcode createApp}. */
export interface AppOptions {
  readonly dispatcher: Dispatcher;
  readonly uploads: Uploads;
  readonly log: Logger;
  /** Accepted bearer tokens; without any and without `keys`, every caller is accepted. */
  readonly tokens: readonly string[];
  /** Named keys, which are accepted too; undefined: the server has none. */
  readonly keys?: KeyRing | undefined;
  readonly isAllowedHost: HostPolicy;
  readonly isAllowedOrigin: OriginPolicy;
  /** Maximum size of a message, in bytes. */
  readonly maxBodyBytes: number;
  /** Maximum time for a message to arrive, in milliseconds; one second more per 64 KiB that arrive. */
  readonly bodyTimeoutMs: number;
  /** Maximum number of requests in progress. */
  readonly maxConcurrent: number;
  /** Base URL for callers, without a trailing slash; undefined: the request's Host header. */
  readonly publicUrl: string | undefined;
  readonly checkReadiness: ReadinessCheck;
  /** Whether only a restart of the process makes it work again. @default {() => false} */
  readonly needsRestart?: () => boolean;
  /** Served at `/metrics`. @default {new MetricsRegistry()} */
  readonly metrics?: MetricsRegistry;
  /** Whether browsers get the web page at `/`. @default {false} */
  readonly hasPage?: boolean;
  /** Bearer token that reads metrics from other machines. */
  readonly metricsToken?: string | undefined;
}

/** The HTTP application: MCP, raw uploads, health checks and metrics. */
export interface App {
  /**
   * Handles one request; never rejects.
   *
   * @param connection Identifies the client for limits per client.
   */
  fetch(request: HttpRequest, connection?: ConnectionInfo): Promise<Response>;
  /** Makes `/readyz` return 503, so that a load balancer sends no further requests. */
  drain(): void;
}

const UPLOADS = "/uploads/";

/** Creates the HTTP application. Each route applies its middleware in the order of the list. */
export function createApp(options: AppOptions): App {
  const { uploads, log, isAllowedHost, isAllowedOrigin, maxConcurrent, bodyTimeoutMs } = options;
  const { metrics = new MetricsRegistry(), metricsToken: token } = options;
  const running = new FairShare(maxConcurrent);
  let isDraining = false;

  const mcp = compose(
    checkHost(isAllowedHost),
    checkOrigin(isAllowedOrigin),
    cors(),
    authenticate(options.tokens, options),
    // No stream for GET and no session for DELETE (MCP 2025-11-25, Transports; 2026-07-28, Streamable HTTP).
    requireMethod("POST", "send JSON-RPC messages by POST"),
    requireJsonBody(),
    requireAcceptJson(),
  )(mcpHandler({
    ...options,
    bodyLimits: {
      maxBytes: options.maxBodyBytes,
      timeoutMs: bodyTimeoutMs,
      minBytesPerMs: MIN_BYTES_PER_MS,
      isJson: true,
    },
    bodyMemory: new FairShare(Math.max(MAX_BUFFERED_BYTES, 2 * options.maxBodyBytes)),
    running,
  }));

  // No bearer token: the capability in the path authorizes, so that a model can hand out a complete curl
  // command.
  const upload = compose(
    checkHost(isAllowedHost),
    checkOrigin(isAllowedOrigin),
    cors(),
    requireMethod("PUT", "send the file by PUT"),
    limitConcurrency(running),
  )((request, { path }) => handleUploadPut(request, uploads, path.slice(UPLOADS.length), { bodyTimeoutMs }));

  const { hasPage = false } = options;
  const hasKey = options.tokens.length > 0 || options.keys !== undefined;
  const home = checkHost(isAllowedHost)(homePage({ hasKey, hasPage }));
  const file = checkHost(isAllowedHost)(pageFile);

  // Probes address a container by its IP and have no token, so health checks are not restricted.
  const livez = livenessHandler(options.needsRestart ?? (() => false));
  const readyz = readinessHandler({ check: options.checkReadiness, isDraining: () => isDraining });
  const pages = new Map<string, Handler>([
    ["/", home],
    ["/healthz", livez],
    ["/livez", livez],
    ["/readyz", readyz],
    ["/version", version],
  ]);
  const exposeMetrics = metricsRoute({ metrics, token, log });

  function route(
    request: HttpRequest,
    connection: ConnectionInfo | undefined,
    observation: Observation,
  ): Promise<Response> | Response {
    const context = { path: pathOf(request.url), client: clientAddress(connection) };
    const { path } = context;
    if (path === "/mcp") {
      observation.route = "mcp";
      return mcp(request, context);
    }
    if (path.startsWith(UPLOADS)) {
      observation.route = "uploads";
      return upload(request, context);
    }
    if (path === "/metrics") {
      observation.route = "metrics";
      return exposeMetrics(request, connection);
    }
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (isRead && hasPage && path.startsWith(PAGE_FILES)) {
      observation.route = "page";
      return file(request, context);
    }
    const handler = isRead ? pages.get(path) : undefined;
    if (handler) observation.route = path.slice(1) || "home";
    return handler?.(request, context) ?? notFound(path);
  }

  const fetch = observeRequests(async (request, connection, observation) => {
    try {
      return await route(request, connection, observation);
    } catch (error) {
      log.error("request failed", { error });
      return errorResponse(500, "Internal error: see the server's log");
    }
  }, {
    server: "mcp",
    metrics,
    onResponse({ route }, status, durationMs) {
      // The dispatcher logs the calls that reach it.
      if (route === "mcp" && status < 400) return;
      log.debug("http request", { route, status, duration_ms: Math.round(durationMs) });
    },
  });

  return {
    fetch,
    drain() {
      isDraining = true;
    },
  };
}

/**
 * Returns the path of an absolute URL without a fragment. `new URL` would cost more than all middleware
 * together.
 */
function pathOf(url: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  if (start < 0) return "/";
  const end = url.indexOf("?", start);
  return end < 0 ? url.slice(start) : url.slice(start, end);
}
