import { createHash } from "node:crypto";
import { timingSafeEqual } from "@std/crypto/timing-safe-equal";
import { HttpError } from "./errors.ts";

/**
 * A guard that throws `unauthorized` unless the request carries the key as a bearer token (RFC 6750 §2.1; the token
 * is read from no other place, since URLs end up in logs).
 *
 * Both sides are hashed first, so that neither the time nor the early return on unequal lengths tells anything of
 * the key.
 *
 * @param apiKey The key; undefined: every caller is accepted.
 */
export function bearerGuard(apiKey: string | undefined): (request: Request) => void {
  if (apiKey === undefined) return () => {};
  const expected = sha256(apiKey);
  return (request) => {
    const header = request.headers.get("authorization");
    // The scheme is case-insensitive (RFC 9110 §11.1); one or more spaces may follow it.
    const token = header === null ? undefined : /^bearer +(\S+) *$/i.exec(header)?.[1];
    const matches = timingSafeEqual(sha256(token ?? ""), expected);
    if (token !== undefined && matches) return;
    throw new HttpError(
      "unauthorized",
      token === undefined
        ? "This engine needs its API key in the header `Authorization: Bearer KEY` (KB_API_KEY)"
        : "The API key is not the one of this engine (KB_API_KEY)",
      // RFC 6750 §3.1: no error code when the request has no credentials at all.
      { headers: { "www-authenticate": token === undefined ? "Bearer" : 'Bearer error="invalid_token"' } },
    );
  };
}

function sha256(text: string): Uint8Array {
  return createHash("sha256").update(text, "utf8").digest();
}
