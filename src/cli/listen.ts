import { ConfigError } from "../config/mod.ts";
import type { Logger } from "../telemetry/mod.ts";

/** What to listen on. */
export interface ListenOptions {
  readonly hostname: string;
  readonly port: number;
  /** Names of the settings that chose them, for the message when they cannot be had. */
  readonly settings: string;
  readonly handler: (request: Request) => Promise<Response>;
  readonly log: Logger;
}

/** A listening server. */
export interface Listening {
  /** Base URL by which this machine reaches it, without a trailing slash. */
  readonly url: string;
  /** Stops accepting and lets running requests finish, for `drainMs` milliseconds at most. */
  close(drainMs: number): Promise<void>;
}

/**
 * Starts listening.
 *
 * @throws {ConfigError} When the address cannot be bound.
 */
export function listen({ hostname, port, settings, handler, log }: ListenOptions): Listening {
  let server: Deno.HttpServer<Deno.NetAddr>;
  try {
    server = Deno.serve({
      hostname: hostname.replace(/^\[|\]$/g, ""),
      port,
      onListen: () => {},
      onError: (error) => {
        log.error("request failed", { error });
        return new Response("Internal error", { status: 500 });
      },
    }, handler);
  } catch (error) {
    const reason = error instanceof Deno.errors.AddrInUse ? "the port is in use" : (error as Error).message;
    throw new ConfigError(
      `${settings} must name an address that can be bound, got ${hostname}:${port}: ${reason}`,
      {
        cause: error,
      },
    );
  }
  return {
    url: `http://${reachableName(hostname)}:${server.addr.port}`,
    async close(drainMs) {
      // A request that never ends keeps the server open; the process is about to end, and takes its sockets along.
      let timer: ReturnType<typeof setTimeout> | undefined;
      const overdue = new Promise<void>((resolve) => timer = setTimeout(resolve, drainMs));
      await Promise.race([server.shutdown(), overdue]);
      clearTimeout(timer);
    },
  };
}

/** Host of a URL by which this machine reaches a bound address: an unspecified one is bound, but not connected to. */
export function reachableName(hostname: string): string {
  const bare = hostname.replace(/^\[|\]$/g, "");
  if (bare === "0.0.0.0" || bare === "::") return "127.0.0.1";
  return bare.includes(":") ? `[${bare}]` : bare;
}
