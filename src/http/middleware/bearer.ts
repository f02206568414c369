import type { Logger } from "../../telemetry/mod.ts";
import { type BearerCheck, bearerTokenCheck, FailureLimiter, type LimitedFailure } from "../../web/mod.ts";
import { errorResponse } from "../error_response.ts";
import type { Middleware } from "./compose.ts";

const MESSAGES: Record<Exclude<BearerCheck["status"], "valid">, string> = {
  missing:
    'Unauthorized: send the header "Authorization: Bearer <token>" with the token of this server (KB_MCP_API_KEY)',
  invalid: "Unauthorized: the bearer token is not the token of this server (KB_MCP_API_KEY)",
};

/**
 * Rejects requests without an accepted bearer token with 401, and with 429 from clients that sent many wrong
 * ones. Sets `callerId` to the SHA-256 of the token.
 *
 * @param tokens Accepted tokens; without any, every caller is accepted as `anonymous`.
 * @param log Gets one warning for each series of wrong tokens.
 */
export function authenticate(tokens: readonly string[], log: Pick<Logger, "warn">): Middleware {
  if (tokens.length === 0) {
    return (next) => (request, context) => {
      context.callerId = "anonymous";
      return next(request, context);
    };
  }
  const check = bearerTokenCheck(tokens);
  const failures = new FailureLimiter();
  return (next) => (request, context) => {
    // Before the limit: a right token is always accepted, and each attempt costs the same.
    const result = check(request.headers.get("authorization"));
    if (result.status === "valid") {
      context.callerId = result.tokenId;
      return next(request, context);
    }
    // A request without a token guesses nothing.
    const limited = result.status === "invalid" ? failures.record(context.client) : undefined;
    if (limited?.isFirst) log.warn("too many requests with a wrong token", { client: context.client });
    return limited ? tooManyAttempts(limited) : unauthorized(result.status);
  };
}

function tooManyAttempts({ retryAfterSeconds }: LimitedFailure): Response {
  const message =
    "Too many requests with a wrong bearer token: send the token of this server (KB_MCP_API_KEY)";
  return errorResponse(429, message, { headers: { "retry-after": String(retryAfterSeconds) } });
}

/** No `resource_metadata`: it would make clients start an OAuth flow and drop their static header. */
function unauthorized(status: keyof typeof MESSAGES): Response {
  // RFC 6750 §3.1: no error code if the request had no token.
  const challenge = status === "missing"
    ? 'Bearer realm="kb-mcp"'
    : 'Bearer realm="kb-mcp", error="invalid_token"';
  return errorResponse(401, MESSAGES[status], { headers: { "www-authenticate": challenge } });
}
