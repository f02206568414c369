import type { Config } from "../config/mod.ts";
import type { CommandContext } from "./context.ts";
import { reachableHost } from "./listen.ts";

/** Timeout of a health check, in milliseconds. */
const TIMEOUT_MS = 3000;

/**
 * Implements `kb-mcp healthcheck`.
 *
 * @returns The exit status: 0; 1 when the server is unhealthy or cannot be reached.
 */
export async function healthcheck(role: "serve" | "engine", context: CommandContext): Promise<number> {
  const problem = await checkHealth(await context.config(), role);
  if (problem === undefined) return 0;
  context.printError(problem);
  return 1;
}

/**
 * Requests `/healthz` from the server that this configuration starts. Container images without curl use it as
 * HEALTHCHECK.
 *
 * @returns The problem; undefined: the server is healthy.
 */
export async function checkHealth(config: Config, role: "serve" | "engine"): Promise<string | undefined> {
  const [host, port] = role === "serve"
    ? [config.KB_MCP_HOST, config.KB_MCP_PORT]
    : [config.KB_ENGINE_HOST, config.KB_ENGINE_PORT];
  const url = `http://${reachableHost(host)}:${port}/healthz`;
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS), redirect: "manual" });
    await response.body?.cancel();
    return response.ok ? undefined : `${url} returned status ${response.status}`;
  } catch (error) {
    return `Cannot reach ${url}: ${
      rootCause(error as Error)
    }. Check that the server runs with the same settings`;
  }
}

/**
 * Returns the innermost cause, such as "Connection refused (os error 111)"; `fetch` itself reports only
 * "fetch failed".
 */
export function rootCause({ cause, message }: Error): string {
  return cause instanceof Error ? rootCause(cause) : message.split(": ").at(-1)!;
}
