import type { RequestContext } from "../../mcp/mod.ts";
import type { HttpRequest } from "../../web/mod.ts";

/** State of one request that middleware adds to. */
export interface RouteContext {
  /** Path of the URL as it was sent. */
  readonly path: string;
  /** Client that limits count the request for, see `clientAddress`. */
  readonly client: string;
  /** `Origin` header, set by `checkOrigin`: the origin of the web page that sent the request, if any. */
  pageOrigin?: string | null;
  /** Set by `authenticate`. */
  caller?: RequestContext["caller"];
}

/** Handles a request of one route. */
export type Handler = (request: HttpRequest, context: RouteContext) => Promise<Response> | Response;

/** Wraps a handler with one concern. */
export type Middleware = (next: Handler) => Handler;

/**
 * Joins middleware into one that applies them in the order of the list.
 *
 * @example
 * ```ts
 * import { compose, type Middleware } from "./compose.ts";
 * import { assertEquals } from "@std/assert";
 * const log: string[] = [];
 * const logging = (name: string): Middleware => (next) => (request, context) => {
 *   log.push(name);
 *   return next(request, context);
 * };
 * const handler = compose(logging("first"), logging("second"))(() => new Response());
 * await handler(new Request("http://localhost/"), { path: "/", client: "127.0.0.1" });
 * assertEquals(log, ["first", "second"]);
 * ```
 */
export function compose(...middleware: readonly Middleware[]): Middleware {
  return (handler) => middleware.reduceRight((next, wrap) => wrap(next), handler);
}
