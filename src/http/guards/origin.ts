import { refuse } from "../refusal.ts";
import { LOOPBACK_HOSTS } from "./host.ts";

/** Decides whether pages of an origin may talk to this server. */
export type OriginPolicy = (origin: string) => boolean;

/**
 * Which browser origins are served.
 *
 * @param allowed Origins such as `https://app.example.com`.
 * @param loopback Whether pages served from this machine are allowed too, on any port.
 */
export function originPolicy(allowed: readonly string[], loopback: boolean): OriginPolicy {
  const origins = new Set(allowed);
  return (origin) => origins.has(origin) || (loopback && isLoopbackOrigin(origin));
}

/**
 * Against web pages that use a visitor's network position: browsers send `Origin`, agents do not. A request without
 * one passes; one with an origin that is not allowed gets 403 (MCP 2025-11-25, Transports: MUST).
 */
export function originGuard(isAllowed: OriginPolicy): (request: Request) => Response | undefined {
  return (request) => {
    const origin = request.headers.get("origin");
    if (origin === null || isAllowed(origin)) return undefined;
    return refuse(403, "Origin not allowed. An operator can allow it with KB_MCP_ALLOWED_ORIGINS");
  };
}

function isLoopbackOrigin(origin: string): boolean {
  const url = URL.parse(origin);
  return url !== null && url.origin === origin && LOOPBACK_HOSTS.includes(url.hostname);
}
