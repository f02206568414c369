import { bearerTokenCheck } from "../../web/mod.ts";
import { HttpError } from "./errors.ts";

/**
 * Returns a check that throws `unauthorized` unless the request has the API key as its bearer token (RFC 6750 §2.1).
 *
 * @param apiKey Undefined accepts every caller.
 */
export function bearerGuard(apiKey: string | undefined): (request: Request) => void {
  if (apiKey === undefined) return () => {};
  const check = bearerTokenCheck([apiKey]);
  return (request) => {
    const { status } = check(request.headers.get("authorization"));
    if (status === "valid") return;
    throw new HttpError(
      "unauthorized",
      status === "missing"
        ? "This engine needs its API key in the header `Authorization: Bearer KEY` (KB_API_KEY)"
        : "The API key is not the one of this engine (KB_API_KEY)",
      // RFC 6750 §3.1: no error code if the request has no token.
      { headers: { "www-authenticate": status === "missing" ? "Bearer" : 'Bearer error="invalid_token"' } },
    );
  };
}
