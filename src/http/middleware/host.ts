import { errorResponse } from "../error_response.ts";
import type { Middleware } from "./compose.ts";

/** Decides whether a `Host` header is served. */
export type HostPolicy = (host: string | null) => boolean;

/** Host names by which a machine reaches itself. */
export const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Returns whether a bind address is reachable from this machine only. */
export function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || address === "[::1]" ||
    /^127(?:\.\d{1,3}){3}$/.test(address);
}

/**
 * Returns a policy that allows the given hosts.
 *
 * @param allowed Lower-case host names, with a port (that port only) or without (any port); undefined: any
 * host.
 */
export function hostPolicy(allowed: readonly string[] | undefined): HostPolicy {
  if (allowed === undefined) return () => true;
  const hosts = new Set(allowed);
  return (host) => {
    const name = host?.toLowerCase() ?? "";
    return hosts.has(name) || hosts.has(name.replace(/:\d{1,5}$/, ""));
  };
}

/**
 * Rejects requests for other hosts with 403.
 *
 * Threat: DNS rebinding. A page on `evil.example` can resolve its name to 127.0.0.1 and reach this server as
 * its own origin. Its requests still carry `Host: evil.example`, so a server on a loopback address only
 * serves loopback names (MCP 2025-11-25, Transports, Security Warning).
 */
export function checkHost(isAllowed: HostPolicy): Middleware {
  return (next) => (request, context) =>
    isAllowed(request.headers.get("host"))
      ? next(request, context)
      : errorResponse(403, "Host not allowed. An operator can allow it with KB_MCP_ALLOWED_HOSTS");
}
