import { DEFAULT_KEY_NAME, hashOfKey, type KeyCheck, type KeyRing } from "../../keys/mod.ts";
import type { RequestContext } from "../../mcp/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import { type BearerCheck, bearerDigestCheck, FailureLimiter, type LimitedFailure } from "../../web/mod.ts";
import { errorResponse } from "../error_response.ts";
import type { Middleware } from "./compose.ts";

/** Result of checking a request's header. */
type Check =
  | { readonly status: "valid"; readonly caller: RequestContext["caller"] }
  | Exclude<KeyCheck | BearerCheck, { status: "valid" }>;

/** Options of {@linkcode authenticate}. */
export interface AuthenticateOptions {
  /** Gets one warning for each series of wrong tokens. */
  readonly log: Pick<Logger, "warn">;
  /** Named keys, which are accepted too; undefined: the server has none. */
  readonly keys?: KeyRing | undefined;
}

/**
 * Rejects requests without an accepted bearer token with 401, and with 429 from clients that sent many wrong
 * ones. Sets the `caller`, whose id is the SHA-256 of the token.
 *
 * @param tokens Accepted tokens with every scope; without any and without `keys`, every caller is accepted as `anonymous`.
 */
export function authenticate(tokens: readonly string[], { log, keys }: AuthenticateOptions): Middleware {
  if (tokens.length === 0 && !keys) {
    return (next) => (request, context) => {
      context.caller = { id: "anonymous", scope: "write" };
      return next(request, context);
    };
  }
  const check = headerCheck(tokens.map(hashOfKey), keys);
  const messages = messagesFor(keys);
  const failures = new FailureLimiter();

  return (next) => {
    const handle: ReturnType<Middleware> = (request, context) => {
      // Before the limit: a right token is always accepted, and each attempt costs the same.
      const result = check(request.headers.get("authorization"));
      if (result.status === "valid") {
        context.caller = result.caller;
        return next(request, context);
      }
      // A request without a token guesses nothing.
      const limited = result.status === "missing" ? undefined : failures.record(context.client);
      if (limited?.isFirst) log.warn("too many requests with a wrong token", { client: context.client });
      return limited ? tooManyAttempts(limited, messages) : unauthorized(result, messages);
    };
    return (request, context) => {
      const refreshed = keys?.refresh();
      return refreshed ? refreshed.then(() => handle(request, context)) : handle(request, context);
    };
  };
}

/**
 * Returns a check of `Authorization` headers for a token or a key. All are in one check, so that a header is hashed once,
 * and its time does not show whether the server has tokens, keys or both.
 */
function headerCheck(
  tokenIds: readonly string[],
  keys: KeyRing | undefined,
): (authorization: string | null) => Check {
  let keyIds = keys?.ids ?? [];
  let checkDigest = bearerDigestCheck([...tokenIds, ...keyIds]);
  return (authorization) => {
    if (keys && keys.ids !== keyIds) {
      keyIds = keys.ids;
      checkDigest = bearerDigestCheck([...tokenIds, ...keyIds]);
    }
    const result = checkDigest(authorization);
    if (result.status !== "valid") return result;
    const { tokenId: id } = result;
    if (tokenIds.includes(id)) {
      return { status: "valid", caller: { id, scope: "write", ...(keys && { key: DEFAULT_KEY_NAME }) } };
    }
    const named = keys?.check(id) ?? { status: "invalid" };
    return named.status === "valid" ? { status: "valid", caller: named.holder } : named;
  };
}

/** Messages of rejected requests. */
interface Messages {
  readonly missing: string;
  readonly invalid: string;
  readonly limited: string;
}

function messagesFor(keys: KeyRing | undefined): Messages {
  const token = keys ? "your key" : "the token of this server (KB_MCP_API_KEY)";
  return {
    missing: `Unauthorized: send the header "Authorization: Bearer <token>" with ${token}`,
    invalid: keys
      ? "Unauthorized: the bearer token is not a key of this server, or no longer. Its operator creates one with kb-mcp key " +
        "add"
      : "Unauthorized: the bearer token is not the token of this server (KB_MCP_API_KEY)",
    limited: `Too many requests with a wrong bearer token: send ${token}`,
  };
}

function tooManyAttempts({ retryAfterSeconds }: LimitedFailure, { limited }: Messages): Response {
  return errorResponse(429, limited, { headers: { "retry-after": String(retryAfterSeconds) } });
}

/** No `resource_metadata`: it would make clients start an OAuth flow and drop their static header. */
function unauthorized(result: Exclude<Check, { status: "valid" }>, messages: Messages): Response {
  const message = result.status === "expired"
    ? `Unauthorized: your key has expired on ${
      result.at.slice(0, 10)
    }. Ask the operator of this server for a new one ` +
      "(kb-mcp key rotate)"
    : messages[result.status];
  // RFC 6750 §3.1: no error code if the request had no token.
  const challenge = result.status === "missing"
    ? 'Bearer realm="kb-mcp"'
    : 'Bearer realm="kb-mcp", error="invalid_token"';
  return errorResponse(401, message, { headers: { "www-authenticate": challenge } });
}
