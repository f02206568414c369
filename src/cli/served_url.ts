import type { Config } from "../config/mod.ts";
import { isLoopback } from "../http/mod.ts";
import { findLocalServer } from "./find_local_server.ts";
import { localUrl } from "./local_url.ts";

/**
 * Returns the MCP endpoint on this machine: that of the server that uses the data directory, which may have got its port in
 * another way, such as by a flag; if none runs, that of a server with these settings.
 *
 * @param defaultDataDir Returns the data directory when `KB_DATA_DIR` is unset.
 */
export async function servedUrl(
  config: Config,
  defaultDataDir: () => string,
  signal?: AbortSignal,
): Promise<string> {
  // A server in front of a remote engine uses no data directory.
  if (config.KB_ENGINE_URL !== undefined) return localUrl(config);
  const dataDir = config.KB_DATA_DIR ?? optional(defaultDataDir);
  const server = dataDir === undefined ? undefined : await findLocalServer(dataDir, signal);
  const url = localUrl(config);
  return server?.mcp !== undefined && isOnHost(server.mcp, url) ? server.mcp : url;
}

/**
 * Whether an endpoint is on this machine, or at the host of the settings.
 *
 * Threat: a file in the working directory can name a data directory of another user, whose file names any host.
 */
function isOnHost(endpoint: string, url: string): boolean {
  const { hostname } = new URL(endpoint);
  return isLoopback(hostname) || hostname === new URL(url).hostname;
}

/** Returns undefined in an environment without a home directory. */
function optional(defaultDataDir: () => string): string | undefined {
  try {
    return defaultDataDir();
  } catch {
    return undefined;
  }
}
