import { type Config, DEFAULT_MCP_URL } from "../config/mod.ts";
import { reachableHost } from "./listen.ts";

/** Returns the MCP endpoint on this machine of a server with these settings. */
export function localUrl({ KB_MCP_HOST: host, KB_MCP_PORT: port }: Config): string {
  return port === 0 ? DEFAULT_MCP_URL : `http://${reachableHost(host)}:${port}/mcp`;
}
