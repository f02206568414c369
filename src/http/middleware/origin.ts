import { errorResponse } from "../error_response.ts";
import type { Middleware } from "./compose.ts";
import { LOOPBACK_HOSTS } from "./host.ts";

/** Decides whether web pages of an origin may use this server. */
export type OriginPolicy = (origin: string) => boolean;

/**
 * Returns a policy that allows the given origins.
 *
 * @param allowed Origins such as `https://app.example.com`.
 * @param loopback Whether to allow pages served from this machine, on any port.
 */
export function originPolicy(allowed: readonly string[], loopback: boolean): OriginPolicy {
  const origins = new Set(allowed);
  return (origin) => origins.has(origin) || (loopback && isLoopbackOrigin(origin));
}

/**
 * Rejects requests of web pages from other origins with 403 (MCP 2025-11-25, Transports: MUST).
 *
 * Threat: web pages that use a visitor's position in the network. Browsers send `Origin`, agents do not.
 */
export function checkOrigin(isAllowed: OriginPolicy): Middleware {
  return (next) => (request, context) => {
    const origin = request.headers.get("origin");
    if (origin !== null && !isAllowed(origin)) {
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
