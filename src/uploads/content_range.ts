import { UploadError } from "./errors.ts";

/** A parsed `Content-Range`, last byte included in `length`. */
export interface ContentRange {
  readonly offset: number;
  readonly length: number;
  /** Size of the whole file; undefined when the client says `*`. */
  readonly total: number | undefined;
}

/**
 * Parses `Content-Range` of a request (RFC 9110 §14.4): `bytes first-last/complete` or `bytes first-last/*`.
 * An invalid one must not be guessed at, since bytes would be stored in the wrong place.
 *
 * @throws {UploadError} `invalid`
 */
export function parseContentRange(value: string): ContentRange {
  // Fifteen digits are exact as a number, and 900 TB.
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec(value);
  const first = Number(match?.[1]);
  const last = Number(match?.[2]);
  const total = match?.[3] === "*" ? undefined : Number(match?.[3]);
  if (!match || last < first || (total !== undefined && last >= total)) {
    throw new UploadError(
      "invalid",
      `Content-Range must be "bytes FIRST-LAST/TOTAL" with FIRST <= LAST < TOTAL, such as "bytes 0-99/1000", ` +
        `got ${JSON.stringify(value.slice(0, 100))}.`,
    );
  }
  return { offset: first, length: last - first + 1, total };
}
