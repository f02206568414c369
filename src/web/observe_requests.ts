import {
  type ActiveSpan,
  currentRequest,
  type MetricsRegistry,
  newRequestId,
  REQUEST_ID_HEADER,
  requestIdOf,
  runForRequest,
  withSpan,
} from "../telemetry/mod.ts";
import type { ConnectionInfo, HttpRequest } from "./http_request.ts";
import { setField } from "./text_response.ts";

/** Facts about a request that are recorded in addition to its method and status. */
export interface Observation {
  /** Name of the route, from a fixed list: a path may contain a secret. */
  route: string;
}

/** Options of {@linkcode observeRequests}. */
export interface ObserveOptions {
  /** Value of the label `server`. */
  readonly server: "mcp" | "engine";
  readonly metrics: MetricsRegistry;
  /** Called after a request of a connection. */
  readonly onResponse?: (observation: Observation, status: number, durationMs: number) => void;
}

/** Handles a request, and names its route. */
export type ObservedHandler = (
  request: HttpRequest,
  connection: ConnectionInfo | undefined,
  observation: Observation,
) => Promise<Response>;

const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/**
 * Wraps a handler of HTTP requests: each gets an id, which the response carries as well, a span that continues the
 * trace of the client (W3C Trace Context), and is counted. A request without a connection comes from this process
 * and belongs to the request that sent it.
 */
export function observeRequests(
  handle: ObservedHandler,
  { server, metrics, onResponse }: ObserveOptions,
): (request: HttpRequest, connection?: ConnectionInfo) => Promise<Response> {
  const requests = metrics.counter("kb_http_requests_total", {
    help: "HTTP requests by route and status.",
    labels: ["server", "route", "status"],
  });
  const count = countRejected(metrics, server);

  return (request, connection) => {
    const observation: Observation = { route: "other" };
    if (!connection) {
      const work = () => handle(request, connection, observation);
      return currentRequest() ? work() : runForRequest({ id: newRequestId() }, work);
    }
    const startedAt = performance.now();
    const id = requestIdOf(request.headers);
    const method = METHODS.has(request.method) ? request.method : "_OTHER";
    const options = {
      kind: "server",
      parent: request.headers,
      attributes: { "http.request.method": method, "kb.server": server },
    } as const;
    const respond = (span: ActiveSpan) =>
      handle(request, connection, observation).then((response) => {
        const { status } = response;
        const { route } = observation;
        setField(response, REQUEST_ID_HEADER, id);
        span.set({ "http.route": route, "http.response.status_code": status });
        if (status >= 500) span.fail(String(status));
        requests.add({ server, route, status: String(status) });
        if (status >= 400) count(status);
        onResponse?.(observation, status, performance.now() - startedAt);
        return response;
      });
    return runForRequest({ id }, () => withSpan(`HTTP ${method}`, options, respond));
  };
}

/** Why a request was rejected, by status. Other statuses count as `other`. */
const REASONS: Readonly<Record<number, string>> = {
  400: "invalid",
  401: "unauthorized",
  403: "forbidden",
  404: "not_found",
  405: "method_not_allowed",
  406: "not_acceptable",
  408: "timeout",
  409: "conflict",
  412: "version_conflict",
  413: "too_large",
  414: "too_large",
  415: "unsupported_media_type",
  422: "invalid",
  429: "too_many",
  431: "too_large",
  500: "internal",
  503: "busy",
  507: "storage_full",
};

/**
 * Returns a function that counts a rejected request, for requests that do not reach a handler.
 *
 * @param server Value of the label `server`.
 */
export function countRejected(
  metrics: MetricsRegistry,
  server: ObserveOptions["server"],
): (status: number) => void {
  const rejected = metrics.counter("kb_http_rejected_total", {
    help: "HTTP requests that were rejected, by reason.",
    labels: ["server", "reason"],
  });
  return (status) => rejected.add({ server, reason: REASONS[status] ?? "other" });
}
