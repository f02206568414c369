import { IndexDamagedError } from "../../../../src/engine/sqlite/index/errors.ts";
import { VarintReader } from "../../../../src/engine/sqlite/index/fts5_format.ts";
import { LeafPage } from "./reference_pages.ts";

/*
 * Decodes doclists as the kernel does (src/engine/sqlite/index/kernel), but readably: the reference for its tests.
 */

/** Larger values are damage. The sum of all values on a page is exact below it. */
const MAX_VALUE = 2 ** 49;
/** Offset of the content on a page that starts in the middle of a position list. */
const CONTENT_OFFSET = 4;

/** Bytes of a doclist on the page where it starts. */
export interface DoclistRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the doclist of a term on a page.
 *
 * @throws {IndexDamagedError} If the page is damaged.
 */
export function findDoclist(page: LeafPage, key: Uint8Array): DoclistRange | undefined {
  let isFirst = true;
  /** Length of the prefix that the previous term shares with the key. */
  let matched = 0;
  let start: number | undefined;
  for (const offset of page.termOffsets()) {
    if (start !== undefined) return doclistRange(start, offset);
    const reader = new VarintReader(page.bytes, offset);
    const shared = isFirst ? 0 : reader.next();
    isFirst = false;
    const length = reader.next();
    // Terms ascend: a term that shares less with the previous one than that shares with the key sorts after
    // the key.
    if (shared < matched) return undefined;
    if (shared > matched) continue;
    while (
      matched - shared < length && matched < key.length &&
      page.bytes[reader.offset + matched - shared] === key[matched]
    ) {
      matched++;
    }
    if (matched === key.length && shared + length === key.length) start = reader.offset + length;
  }
  return start === undefined ? undefined : doclistRange(start, page.end);
}

function doclistRange(start: number, end: number): DoclistRange {
  if (start > end) throw new IndexDamagedError("A term on a leaf page is longer than its entry");
  return { start, end };
}

/** Position of a doclist: its page and its bytes there. */
export interface Doclist extends DoclistRange {
  /** Number of the page within its segment. */
  readonly pageNumber: number;
  readonly page: LeafPage;
}

/** Options of {@linkcode readDoclist}. */
export interface DoclistOptions {
  /** Loads a page of the segment; an empty one if it does not exist. */
  readonly loadPage: (pageNumber: number) => Uint8Array;
  /** Weight of an occurrence in each column. */
  readonly columnWeights: readonly number[];
  /** Receives each row with the sum of the weights of its occurrences. */
  readonly visit: (rowid: number, weight: number) => void;
}

/**
 * Reads the rows of a doclist: up to `end`, or on the following pages if it fills its page. Skips delete
 * markers.
 *
 * @throws {IndexDamagedError} If a page is damaged.
 */
export function readDoclist(
  { pageNumber, page: firstPage, start, end: rangeEnd }: Doclist,
  { loadPage, columnWeights, visit }: DoclistOptions,
): void {
  let number = pageNumber;
  let page = firstPage;
  let { bytes } = page;
  let end = rangeEnd;
  let at = start;
  let rowid = 0;
  for (;;) {
    while (at < end) {
      // Varints are decoded inline: a search spends most of its time in this loop.
      let value = 0;
      let byte: number;
      do {
        byte = bytes[at++] as number;
        value = value * 128 + (byte & 127);
        if (value >= MAX_VALUE) throw new IndexDamagedError("A rowid on a leaf page is too large");
      } while (byte >= 128);
      rowid += value;
      let size = 0;
      do {
        byte = bytes[at++] as number;
        size = size * 128 + (byte & 127);
        if (size >= MAX_VALUE) throw new IndexDamagedError("A row on a leaf page is too long");
      } while (byte >= 128);
      // Past the end, bytes are undefined and sizes NaN.
      if (at > page.end) throw new IndexDamagedError("A row on a leaf page is longer than the page");
      const isDeleted = size % 2 === 1;
      let remaining = Math.floor(size / 2);
      let weight = 0;
      let columnWeight = columnWeights[0] as number;
      let isColumn = false;
      let base = rowid;
      while (remaining > 0) {
        const runEnd = Math.min(at + remaining, page.end);
        remaining -= runEnd - at;
        while (at < runEnd) {
          byte = bytes[at++] as number;
          if (isColumn) {
            const weightOfColumn = columnWeights[byte];
            if (weightOfColumn === undefined) {
              throw new IndexDamagedError("A position list on a leaf page has an unknown column");
            }
            columnWeight = weightOfColumn;
            isColumn = false;
          } else if (byte === 1) isColumn = true;
          else {
            while (byte >= 128) byte = bytes[at++] as number;
            weight += columnWeight;
          }
        }
        if (at !== runEnd) {
          throw new IndexDamagedError("A position list on a leaf page is invalid");
        }
        if (remaining === 0 && isColumn) {
          throw new IndexDamagedError("A position list on a leaf page ends after a column marker");
        }
        if (remaining === 0) break;
        // The position list continues on the next page.
        page = new LeafPage(loadPage(++number));
        if (page.isEmpty) return;
        bytes = page.bytes;
        at = CONTENT_OFFSET;
        end = page.firstTermOffset;
        // The first rowid of a page is absolute.
        base = 0;
      }
      if (!isDeleted && weight > 0) visit(rowid, weight);
      rowid = base;
    }
    // A term follows on this page, so the doclist has ended. Otherwise it may continue on the next one.
    if (end < page.end) return;
    do {
      page = new LeafPage(loadPage(++number));
      if (page.isEmpty || (page.firstRowidOffset === 0 && page.firstTermOffset < page.end)) return;
    } while (page.firstRowidOffset === 0);
    ({ bytes } = page);
    at = page.firstRowidOffset;
    end = page.firstTermOffset;
    rowid = 0;
  }
}
