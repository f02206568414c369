import type { Handler } from "./recorder.ts";

/**
 * Returns a handler for `Deno.serve`, which sends the body that a response was created with: a `TextResponse` creates its
 * own only for those who read it.
 */
export function plainHandler(handler: Handler): (request: Request) => Promise<Response> {
  return async (request) => {
    const { body, status, headers } = await handler(request);
    return new Response(body, { status, headers });
  };
}
