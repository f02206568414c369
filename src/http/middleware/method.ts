import { errorResponse } from "../error_response.ts";
import type { Middleware } from "./compose.ts";

/**
 * Rejects requests with another method with 405.
 *
 * @param hint Completes the error message: what to send instead.
 */
export function requireMethod(method: string, hint: string): Middleware {
  return (next) => (request, context) =>
    request.method === method ? next(request, context) : errorResponse(405, `Method not allowed: ${hint}`, {
      headers: { allow: `${method}, OPTIONS` },
    });
}
