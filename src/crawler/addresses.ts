import ipaddr from "ipaddr.js";

/** Global unicast addresses; other prefixes of IPv6 are special or not assigned (RFC 4291 §2.4). */
const GLOBAL_UNICAST_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");
/** Azure's platform services: an address of a public range that every virtual machine reaches. */
const CLOUD_SERVICES_IPV4 = ipaddr.IPv4.parseCIDR("168.63.129.16/32");

/**
 * Returns whether an IP address is an ordinary one of the public internet.
 *
 * False for private, loopback, link-local, shared (CGNAT), multicast, documentation, benchmarking and reserved
 * addresses, and for IPv6 forms that contain an IPv4 address (mapped, NAT64, 6to4, Teredo): their target
 * depends on the network.
 *
 * @param address In the notation of a resolver or of `URL`. Any other text is not a public address.
 *
 * @example
 * ```ts
 * import { isPublicAddress } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(isPublicAddress("1.1.1.1"), true);
 * assertEquals(isPublicAddress("169.254.169.254"), false);
 * assertEquals(isPublicAddress("::ffff:127.0.0.1"), false);
 * ```
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return parsed instanceof ipaddr.IPv6
    ? parsed.match(GLOBAL_UNICAST_IPV6)
    : !(parsed as ipaddr.IPv4).match(CLOUD_SERVICES_IPV4);
}

/** Returns whether a host name is an IP address, in the notation of `URL` without brackets. */
export function isAddress(host: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(host) || ipaddr.IPv6.isValid(host);
}
