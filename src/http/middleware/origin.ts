import { errorResponse } from "../error_response.ts";
import type { Middleware } from "./compose.ts";
import { LOOPBACK_HOSTS } from "./host.ts";

/**
 * Decides whether web pages of an origin may use this server.
 *
 * @param host The `Host` header, which has been checked.
 */
export type OriginPolicy = (origin: string, host: string | null) => boolean;

/** Pages of the server itself that may use it: see {@linkcode originPolicy}. */
export type OwnPages = "none" | "at addresses" | "at any host";

/**
 * Returns a policy that allows the given origins.
 *
 * @param allowed Origins such as `https://app.example.com`.
 * @param loopback Whether to allow pages served from this machine, on any port.
 * @param ownPages Whether to allow the page that the server itself has sent, whose origin has the host and port of the
 * request: `at any host` only if the hosts are restricted or a key is required. A name that anybody can register may
 * be that of another page, by DNS rebinding (see `checkHost`); an IP address and `localhost` cannot.
 */
export function originPolicy(
  allowed: readonly string[],
  loopback: boolean,
  ownPages: OwnPages = "none",
): OriginPolicy {
  const origins = new Set(allowed);
  return (origin, host) =>
    origins.has(origin) || (loopback && isLoopbackOrigin(origin)) ||
    (ownPages !== "none" && isOwnOrigin(origin, host, ownPages));
}

/**
 * Rejects requests of web pages from other origins with 403 (MCP 2025-11-25, Transports: MUST).
 *
 * Threat: web pages that use a visitor's position in the network. Browsers send `Origin`, agents do not.
 */
export function checkOrigin(isAllowed: OriginPolicy): Middleware {
  return (next) => (request, context) => {
    const origin = request.headers.get("origin");
    if (origin !== null && !isAllowed(origin, request.headers.get("host"))) {
      return errorResponse(403, "Origin not allowed. An operator can allow it with KB_MCP_ALLOWED_ORIGINS");
    }
    context.pageOrigin = origin;
    return next(request, context);
  };
}

function isLoopbackOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  return url !== null && url.origin === origin && LOOPBACK_HOSTS.includes(url.hostname);
}

/**
 * Whether an origin has the host and port of the request.
 *
 * The scheme is not compared: behind a proxy that ends TLS, the requests of a page at `https` arrive as `http`. A page at
 * `http` of a server at `https` is by the same host, or by an attacker in the network. That one cannot read the key,
 * since browsers store it by origin, which has the scheme; a server without a key trusts its network anyway.
 */
function isOwnOrigin(origin: string, host: string | null, ownPages: OwnPages): boolean {
  const url = URL.parse(origin);
  if (url === null || url.origin !== origin || url.host !== host?.toLowerCase()) return false;
  return ownPages === "at any host" || url.hostname === "localhost" || isAddress(url.hostname);
}

/** Whether the host name of a parsed URL is an IP address. */
function isAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d{1,3}(?:\.\d{1,3}){3}$/.test(hostname);
}
