/** Reason why a resource cannot be fetched. */
export type FetchErrorCode =
  /** The URL is malformed, or has a scheme, credentials or a port that is not allowed. */
  | "invalid_url"
  /** The host resolves to an address that is not on the public internet. */
  | "private_address"
  /** The site's robots.txt disallows it, or cannot be read because the site fails. */
  | "disallowed_by_robots"
  /** Too many redirects, or one to a place that is not allowed. */
  | "invalid_redirect"
  /** The host does not exist, or the connection failed. */
  | "unreachable"
  /** The time limit has passed. */
  | "timeout"
  /** The body is over the size limit. */
  | "too_large"
  /** The media type is not that of a document. */
  | "unsupported_type"
  /** The status is an error. */
  | "http_status"
  /** The response does not follow HTTP, or its compression is damaged or unknown. */
  | "invalid_response";

/** A resource cannot be fetched. The message names the URL or host, and says why. */
export class FetchError extends Error {
  /** Always `FetchError`. */
  override name = "FetchError";
  /** See {@linkcode FetchErrorCode}. */
  readonly code: FetchErrorCode;

  constructor(code: FetchErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
