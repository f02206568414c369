import type { Middleware } from "./compose.ts";

const METHODS = "POST, PUT, OPTIONS";
const REQUEST_HEADERS =
  "Authorization, Content-Type, Content-Range, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, " +
  "Mcp-Session-Id, Last-Event-ID, X-Request-Id";
const RESPONSE_HEADERS = "WWW-Authenticate, Retry-After, Mcp-Session-Id, X-Request-Id";

/**
 * Answers preflight requests and lets pages read responses (Fetch standard, CORS protocol). Runs after
 * `checkOrigin`, which sets the allowed origin.
 */
export function cors(): Middleware {
  return (next) => (request, context) => {
    const { pageOrigin: origin = null } = context;
    if (request.method === "OPTIONS") return preflight(origin);
    const response = next(request, context);
    if (origin === null) return response;
    return Promise.resolve(response).then((response) => withCorsHeaders(response, origin));
  };
}

function preflight(origin: string | null): Response {
  const response = new Response(null, { status: 204, headers: { allow: METHODS } });
  if (origin === null) return response;
  response.headers.set("access-control-allow-methods", METHODS);
  response.headers.set("access-control-allow-headers", REQUEST_HEADERS);
  response.headers.set("access-control-max-age", "600");
  return withCorsHeaders(response, origin);
}

function withCorsHeaders(response: Response, origin: string): Response {
  response.headers.set("access-control-allow-origin", origin);
  response.headers.set("access-control-expose-headers", RESPONSE_HEADERS);
  response.headers.append("vary", "Origin");
  return response;
}
