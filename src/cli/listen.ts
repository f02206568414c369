import { ConfigError } from "../config/mod.ts";
import { type HttpServer, serveHttp } from "../http1/mod.ts";
import type { Logger, MetricsRegistry } from "../telemetry/mod.ts";
import { type ConnectionInfo, countRejected, type HttpRequest } from "../web/mod.ts";

/** Options of {@linkcode listen}. */
export interface ListenOptions {
  readonly hostname: string;
  /** Port; 0 selects a free one. */
  readonly port: number;
  /** Settings that contain the address, for the error message. */
  readonly settings: string;
  readonly handler: (request: HttpRequest, connection: ConnectionInfo) => Promise<Response>;
  /** Returns the response to a request that does not reach the handler, such as a malformed one. */
  readonly errorResponse: (status: number, message: string) => Response;
  /** Resources to dispose of after the last request. */
  readonly resources: AsyncDisposableStack;
  /** Called when the shutdown begins, before running requests are awaited. */
  readonly onShutdown?: () => void;
  /** Maximum number of open connections. */
  readonly maxConnections: number;
  /** Name of the server in metrics. */
  readonly server: "mcp" | "engine";
  readonly metrics: MetricsRegistry;
  readonly log: Logger;
}

/** A listening server. Disposing of it is the same as {@linkcode Service.shutdown}. */
export interface Service extends AsyncDisposable {
  /** Base URL for clients on this machine, without a trailing slash. */
  readonly url: string;
  /** Stops accepting requests, waits up to 5 s for running ones, and disposes of all resources. */
  shutdown(): Promise<void>;
}

/**
 * Starts an HTTP server and takes over its resources.
 *
 * @throws {ConfigError} When the address cannot be bound.
 */
export function listen(options: ListenOptions): Service {
  const { hostname, port, settings, handler, errorResponse, maxConnections, onShutdown, metrics, log } =
    options;
  const count = countRejected(metrics, options.server);
  let server: HttpServer;
  try {
    server = serveHttp({
      hostname: withoutBrackets(hostname),
      port,
      handler,
      errorResponse: (status, message) => {
        count(status);
        return errorResponse(status, message);
      },
      maxConnections,
      log,
    });
  } catch (cause) {
    const reason = cause instanceof Deno.errors.AddrInUse ? "the port is in use" : (cause as Error).message;
    throw new ConfigError(
      `${settings} must be an address that can be bound, got ${hostname}:${port}: ${reason}`,
      { cause },
    );
  }
  metrics.observed("kb_http_connections", {
    type: "gauge",
    help: "Open connections.",
    read: () => [[{ server: options.server }, server.connections]],
  });
  const resources = options.resources.move();
  let stopped: Promise<void> | undefined;
  const shutdown = () =>
    stopped ??= (async () => {
      onShutdown?.();
      await server.shutdown();
      await resources.disposeAsync();
    })();
  const url = `http://${reachableHost(hostname)}:${server.port}`;
  return { url, shutdown, [Symbol.asyncDispose]: shutdown };
}

/**
 * Returns the host of a URL for a bound address: clients cannot connect to an unspecified address such as
 * 0.0.0.0.
 */
export function reachableHost(hostname: string): string {
  const address = withoutBrackets(hostname);
  return address === "0.0.0.0" || address === "::" ? "127.0.0.1" : urlHost(address);
}

/** Returns an address as the host of a URL: an IPv6 address in brackets. */
export function urlHost(hostname: string): string {
  const address = withoutBrackets(hostname);
  return address.includes(":") ? `[${address}]` : address;
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, "");
}
