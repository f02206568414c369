/**
 * An HTTP/1.1 server with limits on connections, heads and waiting times, which `Deno.serve` does not have
 * (docs/decisions/d20-own-http-server.md).
 *
 * @module
 */
export type { ErrorResponse, Handler } from "./connection.ts";
export { DEFAULT_TIMEOUTS, type Timeouts } from "./limits.ts";
export { type HttpServer, serveHttp, type ServeHttpOptions } from "./server.ts";
