import type { Config } from "../config/mod.ts";
import { reachableName } from "./listen.ts";

/** How long the server may take to answer, in milliseconds. */
const TIMEOUT_MS = 3000;

/**
 * Asks the server of this machine's configuration for `/healthz`: what a container's HEALTHCHECK runs, in an image
 * that has no curl.
 *
 * @param role Which of the two servers.
 * @returns null, or what is wrong.
 */
export async function healthcheck(config: Config, role: "serve" | "engine"): Promise<string | null> {
  const [host, port] = role === "serve"
    ? [config.KB_MCP_HOST, config.KB_MCP_PORT]
    : [config.KB_ENGINE_HOST, config.KB_ENGINE_PORT];
  const url = `http://${reachableName(host)}:${port}/healthz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "manual" });
    await response.body?.cancel();
    return response.ok ? null : `${url} answered ${response.status}`;
  } catch (error) {
    return `${url} did not answer: ${(error as Error).message}`;
  }
}
