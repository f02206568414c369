import type { ConnectionInfo } from "./http_request.ts";

/**
 * Returns the key by which limits tell clients apart: an IPv4 address, or the /64 network of an IPv6 address,
 * because one IPv6 client has all addresses of its network (RFC 4291 §2.5.1). Behind a proxy all clients have
 * the proxy's address: `Forwarded` headers are not read, because any client can send them.
 *
 * @example
 * ```ts
 * import { clientAddress } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const of = (hostname: string) => clientAddress({ remoteAddr: { hostname } });
 * assertEquals(of("192.0.2.7"), "192.0.2.7");
 * assertEquals(of("::ffff:192.0.2.7"), "192.0.2.7");
 * assertEquals(of("2001:db8::1"), "2001:db8:0:0::/64");
 * ```
 */
export function clientAddress(connection: ConnectionInfo | undefined): string {
  const hostname = connection?.remoteAddr.hostname ?? "unknown";
  if (!hostname.includes(":")) return hostname;
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(hostname) ?? [];
  if (mapped !== undefined) return mapped;
  const [head = "", tail] = hostname.toLowerCase().replace(/%.*$/, "").split("::");
  const groups = head === "" ? [] : head.split(":");
  const last = tail ? tail.split(":").length : 0;
  // `::` stands for the zero groups that complete the address to eight.
  while (tail !== undefined && groups.length + last < 8) groups.push("0");
  return `${[...groups, ...(tail ?? "").split(":")].slice(0, 4).join(":")}::/64`;
}
