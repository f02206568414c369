import { lookup } from "node:dns/promises";
import { isAddress, isPublicAddress } from "./addresses.ts";
import { FetchError } from "./errors.ts";
import type { FetchTarget } from "./target.ts";

/** Maximum number of addresses of a host that are tried. */
const MAX_ADDRESSES = 4;

/** Returns the IP addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Resolves with the operating system, in its order of preference. */
export const resolveWithSystem: Resolve = async (host) =>
  (await lookup(host, { all: true })).map(({ address }) => address);

/**
 * Returns the addresses to connect to, after checking every one.
 *
 * The caller connects to these and never to the name: a second lookup could return other addresses (DNS
 * rebinding). A single address that is not public makes the host refused, since a name that mixes both has no
 * honest use.
 *
 * @throws {FetchError} `unreachable` or `private_address`
 */
export async function checkedAddresses(target: FetchTarget, resolve: Resolve): Promise<readonly string[]> {
  const { host, allowed } = target;
  const addresses = isAddress(host) ? [host] : await resolveHost(host, resolve);
  if (!allowed && !addresses.every(isPublicAddress)) {
    throw new FetchError(
      "private_address",
      `Cannot fetch from ${host}: it must have public addresses only. ` +
        "For a server of your own network, add the host to KB_FETCH_ALLOWED_HOSTS",
    );
  }
  return addresses.slice(0, MAX_ADDRESSES);
}

async function resolveHost(host: string, resolve: Resolve): Promise<readonly string[]> {
  let addresses: readonly string[];
  try {
    addresses = await resolve(host);
  } catch (cause) {
    throw unknownHost(host, cause);
  }
  if (addresses.length === 0) throw unknownHost(host);
  return addresses;
}

function unknownHost(host: string, cause?: unknown): FetchError {
  return new FetchError("unreachable", `Cannot fetch from ${host}: the host name has no address`, { cause });
}
