import type { Logger } from "../telemetry/mod.ts";
import { TextResponse } from "../web/mod.ts";
import { acceptConnections } from "./accept_connections.ts";
import type { ErrorResponse, Handler } from "./connection.ts";
import { ConnectionPool } from "./connection_pool.ts";
import { DEFAULT_TIMEOUTS, type Timeouts } from "./limits.ts";

/** Options of {@linkcode serveHttp}. */
export interface ServeHttpOptions {
  /** Name or IP address to bind. */
  readonly hostname: string;
  /** Port; 0 selects a free one. */
  readonly port: number;
  readonly handler: Handler;
  /**
   * Returns the response to a request that does not reach the handler, such as a malformed one.
   *
   * @default plain text
   */
  readonly errorResponse?: ErrorResponse;
  /** Maximum number of open connections. */
  readonly maxConnections: number;
  /** @default DEFAULT_TIMEOUTS */
  readonly timeouts?: Partial<Timeouts>;
  readonly log: Logger;
}

/** A listening HTTP server. */
export interface HttpServer extends AsyncDisposable {
  readonly port: number;
  /** Number of open connections. */
  readonly connections: number;
  /**
   * Stops accepting connections, closes idle ones, and waits up to `timeouts.drain` for running requests.
   */
  shutdown(): Promise<void>;
}

/**
 * Starts an HTTP/1.1 server (RFC 9110, RFC 9112).
 *
 * @throws {Error} When the address cannot be bound, as `Deno.listen` does.
 *
 * @example
 * ```ts
 * import { serveHttp } from "./mod.ts";
 * import { silentLogger } from "../telemetry/mod.ts";
 * import { assertEquals } from "@std/assert";
 * await using server = serveHttp({
 *   hostname: "127.0.0.1",
 *   port: 0,
 *   handler: ({ method }) => new Response(`Hello, ${method}`),
 *   maxConnections: 10,
 *   log: silentLogger,
 * });
 * const response = await fetch(`http://127.0.0.1:${server.port}/`);
 * assertEquals(await response.text(), "Hello, GET");
 * ```
 */
export function serveHttp(options: ServeHttpOptions): HttpServer {
  const { hostname, port, handler, maxConnections, log } = options;
  const listener = Deno.listen({ hostname, port });
  const bound = listener.addr;
  const pool = new ConnectionPool({
    handler,
    errorResponse: options.errorResponse ?? plainError,
    maxConnections,
    timeouts: { ...DEFAULT_TIMEOUTS, ...options.timeouts },
    authority: `${bound.hostname.includes(":") ? `[${bound.hostname}]` : bound.hostname}:${bound.port}`,
    log,
  });
  const closing = new AbortController();
  const accepting = acceptConnections(listener, {
    onConnection: (conn) => pool.add(conn),
    onExhausted: () => pool.releaseDescriptors(),
    signal: closing.signal,
    log,
  });
  let stopped: Promise<void> | undefined;
  const shutdown = () =>
    stopped ??= (async () => {
      closing.abort();
      listener.close();
      await accepting;
      await pool.drain();
    })();
  return {
    port: bound.port,
    get connections() {
      return pool.size;
    },
    shutdown,
    [Symbol.asyncDispose]: shutdown,
  };
}

function plainError(status: number, message: string): Response {
  return new TextResponse(`${message}\n`, { status });
}
