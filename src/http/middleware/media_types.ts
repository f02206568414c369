import { errorResponse } from "../error_response.ts";
import type { Middleware } from "./compose.ts";

/**
 * Rejects bodies of other types than JSON with 415. This also stops cross-site form posts, which need no
 * preflight.
 */
export function requireJsonBody(): Middleware {
  return (next) => (request, context) => {
    const type = request.headers.get("content-type");
    const isJson = type === "application/json" || /^\s*application\/json\s*(?:;|$)/i.test(type ?? "");
    return isJson
      ? next(request, context)
      : errorResponse(415, "Unsupported media type: Content-Type must be application/json");
  };
}

/** Rejects clients that do not accept JSON with 406. Event streams are optional. */
export function requireAcceptJson(): Middleware {
  return (next) => (request, context) => {
    const accept = request.headers.get("accept");
    const acceptsJson = accept === null || accept.includes("application/json") ||
      /application\/json|(?:^|,)\s*(?:\*|application)\/\*\s*(?:;|,|$)/i.test(accept);
    return acceptsJson
      ? next(request, context)
      : errorResponse(406, "Not acceptable: Accept must list application/json and text/event-stream");
  };
}
