import type { RequestHead } from "./head_parser.ts";
import { ProtocolError } from "./protocol_error.ts";

/** Length of a request body in bytes; `"chunked"`: it ends with its last chunk. */
export type BodyFraming = number | "chunked";

/**
 * Determines how a request body ends (RFC 9112 §6).
 *
 * @throws {ProtocolError} 400 when two readers could disagree, 501 for other transfer codings than chunked.
 */
export function bodyFraming({ lengths, codings, minor }: RequestHead): BodyFraming {
  if (codings.length > 0) {
    if (lengths.length > 0) throw new ProtocolError(400, "Transfer-Encoding excludes Content-Length");
    if (minor === 0) throw new ProtocolError(400, "Transfer-Encoding requires HTTP/1.1");
    const coding = codings.join(",").toLowerCase();
    if (coding === "chunked") return "chunked";
    if (
      /^[^,]+(?:,[^,]+)*,[ \t]*chunked$/.test(coding) &&
      coding.indexOf("chunked") === coding.lastIndexOf("chunked")
    ) {
      throw new ProtocolError(501, "The only supported transfer coding is chunked");
    }
    throw new ProtocolError(400, "Transfer-Encoding must be chunked");
  }
  const [length] = lengths;
  if (length === undefined) return 0;
  // Repetitions are rejected even if they agree. 15 digits are exact as a number.
  if (lengths.length === 1 && /^\d{1,15}$/.test(length)) return Number(length);
  throw new ProtocolError(400, "Content-Length must be one number of bytes");
}
