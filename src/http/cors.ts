import type { OriginPolicy } from "./guards/origin.ts";

const METHODS = "POST, PUT, OPTIONS";
const HEADERS =
  "Authorization, Content-Type, Content-Range, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, " +
  "Mcp-Session-Id, Last-Event-ID";
const EXPOSED = "WWW-Authenticate, Retry-After, Mcp-Session-Id";

/** Answers a preflight (Fetch standard, CORS protocol); only for allowed origins does it allow anything. */
export function preflight(request: Request, isAllowed: OriginPolicy): Response {
  const response = new Response(null, { status: 204 });
  response.headers.set("allow", METHODS);
  const origin = request.headers.get("origin");
  if (origin !== null && isAllowed(origin)) {
    response.headers.set("access-control-allow-methods", METHODS);
    response.headers.set("access-control-allow-headers", HEADERS);
    response.headers.set("access-control-max-age", "600");
  }
  return withCors(request, response, isAllowed);
}

/** Lets a page of an allowed origin read an answer. An answer to no page, as every agent gets, stays as it is. */
export function withCors(request: Request, response: Response, isAllowed: OriginPolicy): Response {
  const origin = request.headers.get("origin");
  if (origin === null || !isAllowed(origin)) return response;
  response.headers.set("access-control-allow-origin", origin);
  response.headers.set("access-control-expose-headers", EXPOSED);
  response.headers.append("vary", "Origin");
  return response;
}
