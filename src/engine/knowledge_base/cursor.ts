import { quoteText } from "../../text/mod.ts";
import { KnowledgeBaseError } from "./errors.ts";

/**
 * Encodes the sort key of the last row of a page as an opaque cursor. The next page starts after that key, so
 * that rows added or removed in between neither repeat nor skip others.
 */
export function encodeCursor(key: readonly (string | number)[]): string {
  return new TextEncoder().encode(JSON.stringify(key)).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });
}

/** A page of a listing. */
export interface ListPage<Row> {
  readonly rows: Row[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

/**
 * Returns the first rows of a query as a page.
 *
 * @param rows Rows of the query, with one more than the limit if there is a next page.
 * @param options.key Returns the sort key of a row, for its cursor.
 */
export function takePage<Row>(
  rows: readonly Row[],
  { limit, key }: { readonly limit: number; readonly key: (row: Row) => readonly (string | number)[] },
): ListPage<Row> {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, nextCursor: last && rows.length > limit ? encodeCursor(key(last)) : null };
}

/**
 * Decodes a cursor of a document listing: time and id of the last row.
 *
 * @throws {KnowledgeBaseError} `invalid` for an unknown cursor.
 */
export function decodeDocumentCursor(cursor: string): [recency: string, id: number] {
  const [recency, id, ...rest] = decode(cursor);
  const isValid = typeof recency === "string" && recency.length <= 40 && Number.isSafeInteger(id) &&
    rest.length === 0;
  return isValid ? [recency, id as number] : rejectCursor(cursor);
}

/**
 * Decodes a cursor of a listing by one number: the id of the last job, or the last version.
 *
 * @throws {KnowledgeBaseError} `invalid` for an unknown cursor.
 */
export function decodeNumberCursor(cursor: string): number {
  const [id, ...rest] = decode(cursor);
  return Number.isSafeInteger(id) && rest.length === 0 ? id as number : rejectCursor(cursor);
}

/**
 * Decodes a cursor of a search: the number of results returned so far, and their mode.
 *
 * @param search Fingerprint of the search, which the cursor contains.
 * @throws {KnowledgeBaseError} `invalid` for an unknown cursor, or one of another search.
 */
export function decodeSearchCursor(cursor: string, search: string): [offset: number, mode: string] {
  const [fingerprint, offset, mode, ...rest] = decode(cursor);
  const isValid = typeof fingerprint === "string" && Number.isSafeInteger(offset) && (offset as number) > 0 &&
    typeof mode === "string" && rest.length === 0;
  if (!isValid) rejectCursor(cursor);
  if (fingerprint !== search) rejectOther("search", "query, mode or filters");
  return [offset as number, mode];
}

/**
 * Decodes a cursor of a document query: sort key and tie-breaker of the last row.
 *
 * @param query Fingerprint of the query, which the cursor contains.
 * @throws {KnowledgeBaseError} `invalid` for an unknown cursor, or one of another query.
 */
export function decodeListCursor(
  cursor: string,
  query: string,
): [key: string | number, tieBreaker: string | number] {
  const [fingerprint, key, tieBreaker, ...rest] = decode(cursor);
  const isValid = typeof fingerprint === "string" && isKey(key) && isKey(tieBreaker) && rest.length === 0;
  if (!isValid) rejectCursor(cursor);
  if (fingerprint !== query) rejectOther("list", "filters, sort, order or group_by");
  return [key, tieBreaker];
}

function isKey(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

function rejectOther(listing: string, parameters: string): never {
  throw new KnowledgeBaseError(
    "invalid",
    `cursor must be the next_cursor of the same ${listing}: omit it when ${parameters} change`,
  );
}

function decode(cursor: string): unknown[] {
  try {
    const bytes = Uint8Array.fromBase64(cursor, { alphabet: "base64url", lastChunkHandling: "loose" });
    const key: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return Array.isArray(key) ? key : rejectCursor(cursor);
  } catch {
    return rejectCursor(cursor);
  }
}

function rejectCursor(cursor: string): never {
  throw new KnowledgeBaseError(
    "invalid",
    `cursor must be the next_cursor of the previous page, got ${quoteText(cursor, 60)}`,
  );
}
