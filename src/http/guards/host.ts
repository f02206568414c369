import { refuse } from "../refusal.ts";

/**
 * Against DNS rebinding: a page on `evil.example` can have its name resolve to 127.0.0.1 and then talk to us as its
 * own origin. Its requests still say `Host: evil.example`, so a server on a loopback address accepts only names
 * of the loopback (MCP 2025-11-25, Transports §Security Warning).
 *
 * @param allowed Host names, in lower case, with a port (that port only) or without (any port); undefined: any host.
 */
export function hostGuard(
  allowed: readonly string[] | undefined,
): (request: Request) => Response | undefined {
  if (allowed === undefined) return () => undefined;
  const names = new Set(allowed);
  return (request) => {
    const host = request.headers.get("host")?.toLowerCase() ?? "";
    if (names.has(host) || names.has(withoutPort(host))) return undefined;
    return refuse(403, "Host not allowed. An operator can allow it with KB_MCP_ALLOWED_HOSTS");
  };
}

/** The names by which a machine reaches itself. */
export const LOOPBACK_HOSTS: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/** Whether a bind address is reached from this machine only. */
export function isLoopback(address: string): boolean {
  return address === "localhost" || address === "::1" || address === "[::1]" ||
    /^127(?:\.\d{1,3}){3}$/.test(address);
}

function withoutPort(host: string): string {
  return host.replace(/:\d{1,5}$/, "");
}
