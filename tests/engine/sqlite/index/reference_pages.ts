import { IndexDamagedError } from "../../../../src/engine/sqlite/index/errors.ts";
import { VarintReader } from "../../../../src/engine/sqlite/index/fts5_format.ts";

/*
 * Reads leaf pages as the kernel does (src/engine/sqlite/index/kernel), but readably: the reference for its tests.
 */

const PAGE_HEADER_BYTES = 4;

/**
 * A leaf page of a segment. Its offsets are checked, since a page is only as intact as the disk: without the
 * checks a damaged one could be read for hours.
 */
export class LeafPage {
  readonly bytes: Uint8Array;
  /** Offset of the first rowid of a doclist that continues from the previous page, or 0. */
  readonly firstRowidOffset: number;
  /** Offset of the footer, which is the end of the content. */
  readonly end: number;

  /** @throws {IndexDamagedError} If the header is not one of a page of this size. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    const hasHeader = bytes.length >= PAGE_HEADER_BYTES;
    this.firstRowidOffset = hasHeader ? (bytes[0] as number) << 8 | bytes[1] as number : 0;
    this.end = hasHeader ? (bytes[2] as number) << 8 | bytes[3] as number : 0;
    if (this.end > bytes.length || isInHeader(this.end) || isInHeader(this.firstRowidOffset)) {
      throw new IndexDamagedError("The header of a leaf page is invalid");
    }
  }

  /** Whether the page has no content or does not exist. */
  get isEmpty(): boolean {
    return this.end === 0;
  }

  /**
   * Offsets of the terms, in ascending order.
   *
   * @throws {IndexDamagedError} While iterating, at an offset outside of the content.
   */
  *termOffsets(): Generator<number> {
    const reader = new VarintReader(this.bytes, this.end);
    for (let offset = 0; !reader.isDone;) {
      const next = offset + reader.next();
      if (!(next > offset && next < this.end) || isInHeader(next)) {
        throw new IndexDamagedError("The footer of a leaf page is invalid");
      }
      yield offset = next;
    }
  }

  /** Offset of the first term; on a page without terms, the end of the content. */
  get firstTermOffset(): number {
    return this.termOffsets().next().value ?? this.end;
  }
}

/** Whether an offset, unless it is 0, is in the header of a page. */
function isInHeader(offset: number): boolean {
  return offset > 0 && offset < PAGE_HEADER_BYTES;
}

/**
 * Calls `visit` for each term of a page that starts with a key.
 *
 * @param visit Receives the term in UTF-8 without the index byte; valid during the call only. Returns false to stop.
 * @returns Whether to continue with the next page.
 * @throws {IndexDamagedError} If the page is damaged.
 */
export function visitTerms(page: LeafPage, key: Uint8Array, visit: (term: Uint8Array) => unknown): boolean {
  const term = new Uint8Array(page.bytes.length);
  let termLength = 0;
  let isFirst = true;
  for (const offset of page.termOffsets()) {
    const reader = new VarintReader(page.bytes, offset);
    const shared = isFirst ? 0 : reader.next();
    isFirst = false;
    const length = reader.next();
    if (shared > termLength || !(reader.offset + length <= page.end)) {
      throw new IndexDamagedError("A term on a leaf page is longer than the page");
    }
    termLength = shared + length;
    // The bytes of a term are those of disjoint suffixes on the page.
    if (termLength > term.length) throw new IndexDamagedError("The terms of a leaf page overlap");
    term.set(page.bytes.subarray(reader.offset, reader.offset + length), shared);
    const common = Math.min(termLength, key.length);
    const different = key.subarray(0, common).findIndex((byte, index) => term[index] !== byte);
    // Terms ascend.
    if (different >= 0 && (term[different] as number) > (key[different] as number)) return true;
    const hasPrefix = different < 0 && termLength >= key.length;
    if (hasPrefix && visit(term.subarray(1, termLength)) === false) return false;
  }
  return true;
}
