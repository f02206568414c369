import { hash } from "node:crypto";
import { timingSafeEqual } from "@std/crypto/timing-safe-equal";
import { refuse } from "../refusal.ts";

/** Who a request comes from, or the refusal of it. */
export type Authentication = { readonly callerId: string } | { readonly refusal: Response };

/** Longest `Authorization` header that is looked at, so that hashing it costs a bounded time. */
const MAX_HEADER_CHARS = 4096;

/**
 * Bearer tokens (RFC 6750 §2.1), in the header only: a token in a URL ends up in logs.
 *
 * Both sides are hashed before they are compared, so the comparison takes the same time whatever the length of
 * what was sent, and every key is compared, whichever matches.
 *
 * @param keys Accepted tokens; with none, every caller is `anonymous`.
 */
export function bearerGuard(keys: readonly string[]): (request: Request) => Authentication {
  if (keys.length === 0) return () => ({ callerId: "anonymous" });
  const known = keys.map((key) => ({ digest: sha256(key), callerId: hash("sha256", key, "hex") }));
  // Hashing costs as much as all other guards together, so the digest of an accepted header is kept, at most one for
  // each key. Finding it says only that this very header was right before, which the answer says as well.
  const accepted = new Map<string, Uint8Array>();
  return (request) => {
    const header = request.headers.get("authorization") ?? "";
    const kept = accepted.get(header);
    const token = kept || header.length > MAX_HEADER_CHARS
      ? undefined
      : /^Bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1];
    const digest = kept ?? sha256(token ?? "");
    let callerId: string | undefined;
    for (const key of known) {
      if (timingSafeEqual(digest, key.digest)) callerId = key.callerId;
    }
    if (callerId !== undefined && (kept || token !== undefined)) {
      if (accepted.size < keys.length) accepted.set(header, digest);
      return { callerId };
    }
    return { refusal: unauthorized(token !== undefined) };
  };
}

/**
 * The 401. It names no `resource_metadata`: a client that sees one starts an OAuth flow, which there is none of
 * here, and stops sending its static header.
 */
function unauthorized(presented: boolean): Response {
  const message = presented
    ? "Unauthorized: the bearer token is not the one this server expects (KB_MCP_API_KEY)"
    : 'Unauthorized: send the header "Authorization: Bearer <token>" with the token of this server (KB_MCP_API_KEY)';
  // RFC 6750 §3.1: error="invalid_token" only when a token was presented.
  const challenge = presented ? 'Bearer realm="kb-mcp", error="invalid_token"' : 'Bearer realm="kb-mcp"';
  return refuse(401, message, { headers: { "www-authenticate": challenge } });
}

function sha256(text: string): Uint8Array {
  return hash("sha256", text, "buffer");
}
