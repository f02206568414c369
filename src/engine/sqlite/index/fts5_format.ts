/**
 * Decodes the records that FTS5 keeps in its shadow tables. Pure functions over bytes.
 *
 * Sources: the comments at the head of SQLite's `ext/fts5/fts5_index.c`, and "FTS5 shadow tables" in the FTS5
 * documentation. Covered: format versions 4 and 5, `detail=full`, the main index without prefix indexes.
 *
 * Integers are varints: 7 bits a byte, most significant first; the high bit marks a continuation; a 9th byte
 * has 8 bits.
 *
 * | table       | row                  | content                                                         |
 * |-------------|----------------------|-----------------------------------------------------------------|
 * | `%_config`  | `version`            | format version                                                  |
 * | `%_data`    | 1                    | averages: number of rows, then the number of tokens per column  |
 * | `%_data`    | 10                   | structure: the segments of the index, see below                 |
 * | `%_data`    | (segment << 37)+page | leaf page of a segment, see below                               |
 * | `%_idx`     | segment, term        | `pgno >> 1`: leaf page of the terms from `term` (a prefix) on   |
 * | `%_docsize` | rowid                | number of tokens per column                                     |
 *
 * **Structure.** A cookie of 4 bytes; the numbers of levels, of segments and of writes; then for each level
 * the number of segments being merged, the number of segments, and for each segment, oldest first, its id,
 * first leaf and last leaf. A segment that has been merged completely has 0 as its last leaf. Segments of
 * higher levels are older. The cookie is followed by `ff 00 00 01` in indexes with tombstones
 * (`contentless_delete=1`), whose segments have five more fields; this decoder rejects them.
 *
 * **Leaf page.** Two 16-bit integers, big-endian: the offset of the first rowid that precedes the first term
 * (0: none), and the offset of the footer. The footer holds a varint per term: the term's offset, as a
 * difference to the one before. Between header and footer the page holds terms, each followed by its doclist;
 * a doclist may continue on the next pages.
 *
 *     page     := term doclist { term doclist }          (or the rest of a doclist before the first term)
 *     term     := length bytes                           (first term of a page)
 *               | shared length bytes                    (`shared`: length of the prefix of the previous term)
 *     doclist  := rowid poslist { delta poslist }        (the first rowid on a page is absolute)
 *     poslist  := size*2+deleted collist { 01 column collist }
 *     collist  := { offset delta + 2 }
 *
 * Terms are in the order of their bytes. A term of the main index starts with the byte `0`.
 *
 * @module
 */
/**
 * Format versions that this decoder reads: 5 allows `secure-delete`, which removes entries from the pages.
 */
const FORMAT_VERSIONS: readonly number[] = [4, 5];
/** First byte after the cookie in a structure record with tombstones. */
const TOMBSTONE_MARKER = 0xff;
const COOKIE_BYTES = 4;
const MAIN_INDEX = "0";

const encoder = new TextEncoder();

/** Row of the averages record in `%_data`. */
export const AVERAGES_ROWID = 1;
/** Row of the structure record in `%_data`. */
export const STRUCTURE_ROWID = 10;

/** Row of a leaf page in `%_data`. */
export function leafRowid(segment: number, page: number): number {
  return segment * 2 ** 37 + page;
}

/** Returns a term, or a prefix of terms, as the main index stores it. */
export function termKey(term: string): Uint8Array<ArrayBuffer> {
  return encoder.encode(MAIN_INDEX + term);
}

/** First byte of {@linkcode MAIN_INDEX}. */
const MAIN_INDEX_BYTE = 0x30;

/**
 * Writes what {@linkcode termKey} returns. For the dozens of terms and prefixes of a query, an array each and a call of
 * the encoder take longer than finding them.
 *
 * @param bytes Memory with 1 + 3 bytes per UTF-16 code unit from `at` on.
 * @returns Number of bytes.
 */
export function writeTermKey(term: string, bytes: Uint8Array<ArrayBuffer>, at: number): number {
  bytes[at] = MAIN_INDEX_BYTE;
  let next = at + 1;
  for (let i = 0; i < term.length; i++) {
    const code = term.charCodeAt(i);
    if (code < 0x80) bytes[next++] = code;
    else if (code < 0x800) {
      bytes[next++] = 0xc0 | code >> 6;
      bytes[next++] = 0x80 | code & 63;
    } else if (code >= 0xd800 && code <= 0xdfff) {
      return next + encoder.encodeInto(term.slice(i), bytes.subarray(next)).written - at;
    } else {
      bytes[next++] = 0xe0 | code >> 12;
      bytes[next++] = 0x80 | code >> 6 & 63;
      bytes[next++] = 0x80 | code & 63;
    }
  }
  return next - at;
}

/** Reads consecutive varints. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  /** Offset of the next varint. */
  offset: number;

  constructor(bytes: Uint8Array, offset = 0) {
    this.#bytes = bytes;
    this.offset = offset;
  }

  /** Whether all bytes have been read. */
  get isDone(): boolean {
    return this.offset >= this.#bytes.length;
  }

  /** Reads a varint, up to `Number.MAX_SAFE_INTEGER`. */
  next(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.offset++] as number;
    if (byte < 128) return byte;
    let value = 0;
    for (let n = 0; n < 8; n++) {
      value = value * 128 + (byte & 127);
      if (byte < 128) return value;
      byte = bytes[this.offset++] as number;
    }
    return value * 256 + byte;
  }
}

/** Decodes a record of varints, such as the averages or the tokens per column of a row. */
export function decodeVarints(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  for (const reader = new VarintReader(bytes); !reader.isDone;) numbers.push(reader.next());
  return numbers;
}

/** A segment: a part of the index with its own sorted terms, on consecutive leaf pages. */
export interface Segment {
  readonly id: number;
  /** Number of the first leaf page. */
  readonly firstPage: number;
  /** Number of the last leaf page. */
  readonly lastPage: number;
}

/**
 * Decodes the structure record.
 *
 * @param version Format version in `%_config`.
 * @returns The segments, oldest first; undefined if the format is unknown.
 */
export function decodeStructure(record: Uint8Array, version: number): Segment[] | undefined {
  return FORMAT_VERSIONS.includes(version) ? decodeLevels(record)?.levels.toReversed().flat() : undefined;
}

/** Returns the segments of each level, oldest first, level 0 first, and the number of writes. */
function decodeLevels(record: Uint8Array): { levels: Segment[][]; writes: number } | undefined {
  if (record[COOKIE_BYTES] === TOMBSTONE_MARKER) return undefined;
  const reader = new VarintReader(record, COOKIE_BYTES);
  const levels = reader.next();
  const total = reader.next();
  const writes = reader.next();
  const segments: Segment[][] = [];
  let decoded = 0;
  for (let level = 0; level < levels && !reader.isDone; level++) {
    reader.next(); // number of segments being merged
    const count = reader.next();
    const levelSegments: Segment[] = [];
    for (let n = 0; n < count && !reader.isDone; n++, decoded++) {
      const segment = { id: reader.next(), firstPage: reader.next(), lastPage: reader.next() };
      if (segment.lastPage > 0) levelSegments.push(segment);
    }
    segments.push(levelSegments);
  }
  const isConsistent = reader.offset === record.length && segments.length === levels && decoded === total;
  return isConsistent ? { levels: segments, writes } : undefined;
}

/** The segments of an index after writes: some of the oldest remain, and others follow them. */
export interface SegmentChanges {
  /** Number of segments that remain. */
  readonly kept: number;
  readonly added: readonly Segment[];
}

/** Number of pages of new rows after which FTS5 merges segments of several levels, in any order. */
const WORK_UNIT = 64;
/** Number of segments of a level that FTS5 merges at once. */
const CRISIS_MERGE = 16;

/**
 * Returns the changes between two structure records, if writes only added rows, so that these are in the added segments.
 * Undefined if that is not certain, since ids are used again after a merge.
 *
 * The number of writes counts the pages of new rows, merged since or not. If the added segments have as many, and all
 * others remain, nothing was merged: a merge leaves fewer segments, and new ones in place of the others would count.
 *
 * Fewer writes than a merge has segments merge each level at most once, the newest first, and none of them is reused
 * before. If all segments of older levels remain, they were not merged: that would leave one in place of 16. Only
 * `secure-delete` changes pages without a change of the structure.
 */
export function segmentChanges(before: Uint8Array, after: Uint8Array): SegmentChanges | undefined {
  for (let at = 0; at < COOKIE_BYTES; at++) if (before[at] !== after[at]) return undefined;
  const [old, now] = [decodeLevels(before), decodeLevels(after)];
  if (!old || !now || now.writes <= old.writes) return undefined;
  const [earlier, later] = [old, now].map(({ levels }) => levels.toReversed().flat()) as [
    Segment[],
    Segment[],
  ];
  let same = 0;
  while (same < earlier.length && isSame(earlier[same], later[same])) same++;
  const writes = now.writes - old.writes;
  if (same === earlier.length && pagesOf(later.slice(same)) === writes) {
    return { kept: same, added: later.slice(same) };
  }
  const kept = earlier.length - (old.levels[0]?.length ?? 0);
  const isShort = writes < CRISIS_MERGE &&
    Math.floor(now.writes / WORK_UNIT) === Math.floor(old.writes / WORK_UNIT);
  return isShort && same >= kept ? { kept, added: later.slice(kept) } : undefined;
}

function isSame(a: Segment | undefined, b: Segment | undefined): boolean {
  return a?.id === b?.id && a?.firstPage === b?.firstPage && a?.lastPage === b?.lastPage;
}

function pagesOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, { firstPage, lastPage }) => sum + lastPage - firstPage + 1, 0);
}
