import { isLoopback, LOOPBACK_HOSTS } from "../http/mod.ts";
import { urlHost } from "./listen.ts";

/** Options of {@linkcode allowedHosts}. */
export interface AllowedHostsOptions {
  /** Address that the server binds to. */
  readonly bind: string;
  /** Value of the setting; undefined: unset. */
  readonly configured: readonly string[] | undefined;
  /** Base URL at which clients reach the server. */
  readonly publicUrl?: string | undefined;
}

/**
 * Returns the `Host` headers that a server accepts; undefined: any. Without the setting, a server bound to a
 * loopback address accepts loopback names only, which stops DNS rebinding, and any other server accepts every
 * name.
 */
export function allowedHosts(
  { bind, configured, publicUrl }: AllowedHostsOptions,
): readonly string[] | undefined {
  const isLocal = isLoopback(bind);
  if (!isLocal && configured === undefined) return undefined;
  return [
    ...(isLocal ? LOOPBACK_HOSTS : []),
    urlHost(bind).toLowerCase(),
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).host]),
    ...(configured ?? []),
  ];
}
