import { KnowledgeBaseError } from "./errors.ts";

/**
 * Encodes the place of a page's last row in the order of its listing, as an opaque cursor. Listings go on after that row,
 * so rows that come or go meanwhile neither repeat nor skip others.
 */
export function encodeCursor(place: readonly (string | number)[]): string {
  return new TextEncoder().encode(JSON.stringify(place)).toBase64({
    alphabet: "base64url",
    omitPadding: true,
  });
}

/**
 * Decodes a cursor of a listing of documents: time and id of the last row.
 *
 * @throws {KnowledgeBaseError} `invalid` when it is not one.
 */
export function decodeDocumentCursor(cursor: string): [recency: string, id: number] {
  const [recency, id, ...rest] = decode(cursor);
  const isPlace = typeof recency === "string" && recency.length <= 40 && Number.isSafeInteger(id) &&
    rest.length === 0;
  return isPlace ? [recency, id as number] : refuse(cursor);
}

/**
 * Decodes a cursor of a listing of jobs: id of the last row.
 *
 * @throws {KnowledgeBaseError} `invalid` when it is not one.
 */
export function decodeJobCursor(cursor: string): number {
  const [id, ...rest] = decode(cursor);
  return Number.isSafeInteger(id) && rest.length === 0 ? id as number : refuse(cursor);
}

/**
 * Decodes a cursor of a search: how many results have been answered, and in which mode they were found.
 *
 * @param search What the search is told from others by; the cursor has it too.
 * @throws {KnowledgeBaseError} `invalid` when it is not one, or one of another search.
 */
export function decodeSearchCursor(cursor: string, search: string): [offset: number, mode: string] {
  const [of, offset, mode, ...rest] = decode(cursor);
  const isPlace = typeof of === "string" && Number.isSafeInteger(offset) && (offset as number) > 0 &&
    typeof mode === "string" && rest.length === 0;
  if (!isPlace) refuse(cursor);
  if (of !== search) {
    throw new KnowledgeBaseError(
      "invalid",
      "cursor must be the next_cursor of the same search: leave it out when query, mode or filters change",
    );
  }
  return [offset as number, mode];
}

function decode(cursor: string): unknown[] {
  try {
    const bytes = Uint8Array.fromBase64(cursor, { alphabet: "base64url", lastChunkHandling: "loose" });
    const place: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return Array.isArray(place) ? place : refuse(cursor);
  } catch {
    return refuse(cursor);
  }
}

function refuse(cursor: string): never {
  throw new KnowledgeBaseError(
    "invalid",
    `cursor must be the next_cursor of the page before, got ${JSON.stringify(cursor.slice(0, 60))}`,
  );
}
