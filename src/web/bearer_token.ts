import { hash } from "node:crypto";
import { timingSafeEqual } from "@std/crypto/timing-safe-equal";

/** Result of checking an `Authorization` header. */
export type BearerCheck =
  | {
    readonly status: "valid";
    /** SHA-256 of the token in hexadecimal: identifies the caller without holding the secret. */
    readonly tokenId: string;
  }
  /** A bearer token that is not accepted. */
  | { readonly status: "invalid" }
  /** No bearer token at all. */
  | { readonly status: "missing" };

/** Maximum length of an `Authorization` header that is hashed, so that hashing costs a bounded time. */
const MAX_HEADER_CHARS = 4096;

/**
 * Returns a check of `Authorization` headers for a bearer token (RFC 6750 §2.1) among `tokens`. Tokens in
 * other places, such as the query, are not supported: URLs end up in logs.
 *
 * Threat: timing reveals a token character by character. Both sides are hashed before they are compared in
 * constant time, so neither the length nor a common prefix matters, and every token is compared, whichever
 * matches.
 *
 * @param tokens Accepted tokens: visible ASCII characters.
 *
 * @example
 * ```ts
 * import { bearerTokenCheck } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const check = bearerTokenCheck(["s3cret"]);
 * assertEquals(check("Bearer s3cret").status, "valid");
 * assertEquals(check("Bearer guess").status, "invalid");
 * assertEquals(check(null).status, "missing");
 * ```
 */
export function bearerTokenCheck(tokens: readonly string[]): (authorization: string | null) => BearerCheck {
  return bearerDigestCheck(tokens.map((token) => hash("sha256", token, "hex")));
}

/**
 * Returns a check like {@linkcode bearerTokenCheck} for tokens of which only the hashes are known.
 *
 * @param tokenIds SHA-256 of each accepted token in hexadecimal.
 *
 * @example
 * ```ts
 * import { bearerDigestCheck } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const check = bearerDigestCheck(["0".repeat(64)]);
 * assertEquals(check("Bearer guess").status, "invalid");
 * ```
 */
export function bearerDigestCheck(
  tokenIds: readonly string[],
): (authorization: string | null) => BearerCheck {
  const accepted = tokenIds.map((tokenId) => ({ digest: Uint8Array.fromHex(tokenId), tokenId }));
  // Hashing costs as much as the rest of a server's checks, so the digest of each accepted header is kept (at
  // most one per token). A hit reveals only that this exact header was valid before, which the response
  // reveals as well.
  const knownDigests = new Map<string, Uint8Array>();
  return (authorization) => {
    const header = authorization ?? "";
    const known = knownDigests.get(header);
    // The scheme is case-insensitive, and one or more spaces follow it (RFC 9110 §11.1 and §11.4).
    const token = known || header.length > MAX_HEADER_CHARS
      ? undefined
      : /^Bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1];
    if (!known && token === undefined) return { status: "missing" };
    if (accepted.length === 0) return { status: "invalid" };
    const digest = known ?? sha256(token ?? "");
    let tokenId: string | undefined;
    for (const candidate of accepted) {
      if (timingSafeEqual(digest, candidate.digest)) tokenId = candidate.tokenId;
    }
    if (tokenId === undefined) return { status: "invalid" };
    if (knownDigests.size < accepted.length) knownDigests.set(header, digest);
    return { status: "valid", tokenId };
  };
}

function sha256(text: string): Uint8Array {
  return hash("sha256", text, "buffer");
}
