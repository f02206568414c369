import { quoteText } from "../text/mod.ts";
import type { HttpRequest } from "../web/mod.ts";
import { UploadError } from "./errors.ts";
import type { RawRange } from "./raw_content.ts";

/** A `PUT` request that is rejected because of its headers. */
export class HeaderError extends Error {
  override name = "HeaderError";
  readonly status: 400 | 411 | 415;

  constructor(status: 400 | 411 | 415, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Reads the position and length of a raw `PUT` body from its headers.
 *
 * @throws {HeaderError} For a body that is not raw bytes of a known length.
 * @throws {UploadError} `invalid` for a malformed `Content-Range`.
 */
export function parsePutHeaders(headers: HttpRequest["headers"]): RawRange {
  const type = headers.get("content-type") ?? "";
  if (/^multipart\//i.test(type.trim())) {
    throw new HeaderError(415, "The body must be the file's raw bytes, not a form: curl -T FILE URL.");
  }
  if (!/^(?:identity)?$/i.test((headers.get("content-encoding") ?? "").trim())) {
    throw new HeaderError(415, "The body must be the file's raw bytes, without Content-Encoding.");
  }
  const length = parseContentLength(headers.get("content-length"));
  const contentRange = headers.get("content-range");
  if (contentRange === null) return { length };
  const range = parseContentRange(contentRange);
  if (range.length !== length) {
    throw new HeaderError(
      400,
      `Content-Range covers ${range.length} bytes, but Content-Length is ${length}: they must be equal.`,
    );
  }
  return range;
}

function parseContentLength(value: string | null): number {
  if (value === null) {
    throw new HeaderError(
      411,
      "Content-Length is required: send the file with its size, as curl -T FILE URL does.",
    );
  }
  if (/^\d{1,15}$/.test(value)) return Number(value);
  throw new HeaderError(
    400,
    `Content-Length must be a number of bytes, got ${quoteText(value)}.`,
  );
}

/**
 * Parses the `Content-Range` of a request (RFC 9110 §14.4): `bytes FIRST-LAST/TOTAL`, where TOTAL may be `*`.
 * Strict, because a wrong guess would store bytes at a wrong offset.
 *
 * @throws {UploadError} `invalid`
 */
export function parseContentRange(value: string): RawRange & { length: number } {
  // 15 digits are exact as a number, and reach 900 TB.
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec(value);
  const first = Number(match?.[1]);
  const last = Number(match?.[2]);
  const total = match?.[3] === "*" ? undefined : Number(match?.[3]);
  if (!match || last < first || (total !== undefined && last >= total)) {
    throw new UploadError(
      "invalid",
      `Content-Range must be "bytes FIRST-LAST/TOTAL" with FIRST <= LAST < TOTAL, such as "bytes 0-99/1000", ` +
        `got ${quoteText(value)}.`,
    );
  }
  return { offset: first, length: last - first + 1, total };
}
