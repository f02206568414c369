/** Names and addresses of this machine, in the syntax of `NO_PROXY`. */
const LOOPBACK = "localhost,127.0.0.0/8,::1";

/** Environment variables that can be changed. */
export interface Environment {
  get(name: string): string | undefined;
  set(name: string, value: string): void;
}

/**
 * Excludes this machine from the proxy of the environment (`HTTP_PROXY`, `ALL_PROXY`), which Deno uses for all requests of
 * the process. It reads the variables with the first request.
 *
 * Threat: a proxy, which cannot reach this machine, would receive documents and the token of the local server.
 */
export function excludeLoopback(env: Environment = Deno.env): void {
  try {
    const others = env.get("NO_PROXY") ?? env.get("no_proxy");
    env.set("NO_PROXY", others ? `${others},${LOOPBACK}` : LOOPBACK);
  } catch (error) {
    // Deno runs the program with permissions of the user's own.
    if (!(error instanceof Deno.errors.NotCapable)) throw error;
  }
}
