import { EXPOSITION_TYPE, type Logger, type MetricsRegistry } from "../telemetry/mod.ts";
import { bearerTokenCheck } from "./bearer_token.ts";
import { clientAddress } from "./client_address.ts";
import { FailureLimiter } from "./failure_limiter.ts";
import type { ConnectionInfo, HttpRequest } from "./http_request.ts";
import { TextResponse } from "./text_response.ts";

/** Options of {@linkcode metricsRoute}. */
export interface MetricsRouteOptions {
  readonly metrics: MetricsRegistry;
  /** Bearer token that reads metrics from anywhere (`KB_METRICS_TOKEN`). Unset: only this machine reads them. */
  readonly token: string | undefined;
  /** Accepts further requests, such as those with another token. */
  readonly isAuthorized?: (request: HttpRequest) => boolean;
  /** Gets one warning for each series of wrong tokens. */
  readonly log: Pick<Logger, "warn">;
}

/**
 * Returns the handler of `GET /metrics`.
 *
 * Threat: metrics show how many documents there are and who works when. A request needs the token, or if there is
 * none has to come from this machine itself. The address of the connection decides, because any client can send
 * `X-Forwarded-For`; and since a reverse proxy on this machine has a loopback address as well, a request with the
 * traces of one, or for another host name, is rejected. The latter also stops web pages (DNS rebinding), as does
 * `Origin`. A proxy without traces, such as nginx by default, is the reason to require a token that is set.
 */
export function metricsRoute(
  { metrics, token, isAuthorized = () => false, log }: MetricsRouteOptions,
): (request: HttpRequest, connection?: ConnectionInfo) => Promise<Response> {
  const check = token === undefined ? undefined : bearerTokenCheck([token]);
  const failures = new FailureLimiter();

  function reject(request: HttpRequest, connection: ConnectionInfo | undefined): Response | undefined {
    if (isAuthorized(request)) return undefined;
    if (!check && isFromThisMachine(request, connection)) return undefined;
    const { status } = check?.(request.headers.get("authorization")) ?? { status: "missing" };
    if (status === "valid") return undefined;
    if (status === "invalid") {
      const client = clientAddress(connection);
      const limited = failures.record(client);
      if (limited?.isFirst) log.warn("too many requests with a wrong metrics token", { client });
      if (limited) {
        const headers = { "retry-after": String(limited.retryAfterSeconds) };
        return text(429, "Too many requests with a wrong token: send KB_METRICS_TOKEN", headers);
      }
    }
    if (check) {
      return text(401, "Send the header `Authorization: Bearer TOKEN` with KB_METRICS_TOKEN", {
        "www-authenticate": `Bearer${status === "invalid" ? ' error="invalid_token"' : ""}`,
      });
    }
    return text(403, "Only this machine may read metrics. Set KB_METRICS_TOKEN to read them from elsewhere");
  }

  return async (request, connection) => {
    if (request.method !== "GET" && request.method !== "HEAD") {
      return text(405, "The method must be GET", { allow: "GET, HEAD" });
    }
    return reject(request, connection) ?? new TextResponse(await metrics.expose(), {
      headers: { "content-type": EXPOSITION_TYPE, "cache-control": "no-store" },
    });
  };
}

/** Headers by which proxies report the client, or themselves. */
const PROXY_HEADERS = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-real-ip",
];

function isFromThisMachine({ headers }: HttpRequest, connection: ConnectionInfo | undefined): boolean {
  if (connection && !isLoopbackAddress(connection.remoteAddr.hostname)) return false;
  if (headers.has("origin") || PROXY_HEADERS.some((name) => headers.has(name))) return false;
  const host = headers.get("host");
  // A request of this process has none. A proxy may send HTTP/1.0 without it.
  return host === null ? connection === undefined : isLoopbackName(host);
}

function isLoopbackAddress(address: string): boolean {
  return address === "::1" || /^(?:::ffff:)?127(?:\.\d{1,3}){3}$/i.test(address);
}

function isLoopbackName(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i.test(host);
}

function text(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new TextResponse(`${message}\n`, { status, headers: { "content-type": "text/plain", ...headers } });
}
