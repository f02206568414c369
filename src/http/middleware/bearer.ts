import { type BearerCheck, bearerTokenCheck } from "../../web/mod.ts";
import { errorResponse } from "../error_response.ts";
import type { Middleware } from "./compose.ts";

const MESSAGES: Record<Exclude<BearerCheck["status"], "valid">, string> = {
  missing:
    'Unauthorized: send the header "Authorization: Bearer <token>" with the token of this server (KB_MCP_API_KEY)',
  invalid: "Unauthorized: the bearer token is not the token of this server (KB_MCP_API_KEY)",
};

/**
 * Rejects requests without an accepted bearer token with 401, and sets `callerId` to the SHA-256 of the
 * token.
 *
 * @param tokens Accepted tokens; without any, every caller is accepted as `anonymous`.
 */
export function authenticate(tokens: readonly string[]): Middleware {
  if (tokens.length === 0) {
    return (next) => (request, context) => {
      context.callerId = "anonymous";
      return next(request, context);
    };
  }
  const check = bearerTokenCheck(tokens);
  return (next) => (request, context) => {
    const result = check(request.headers.get("authorization"));
    if (result.status !== "valid") return unauthorized(result.status);
    context.callerId = result.tokenId;
    return next(request, context);
  };
}

/** No `resource_metadata`: it would make clients start an OAuth flow and drop their static header. */
function unauthorized(status: keyof typeof MESSAGES): Response {
  // RFC 6750 §3.1: no error code if the request had no token.
  const challenge = status === "missing"
    ? 'Bearer realm="kb-mcp"'
    : 'Bearer realm="kb-mcp", error="invalid_token"';
  return errorResponse(401, MESSAGES[status], { headers: { "www-authenticate": challenge } });
}
