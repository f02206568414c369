import type { DatabaseSync } from "node:sqlite";
import { all, first } from "../store/mod.ts";
import { VarintReader } from "./varint.ts";

/**
 * Reads the inverted index that FTS5 keeps in its shadow tables, as the comments at the head of SQLite's `fts5_index.c` describe
 * it (format versions 4 and 5, `detail=full`, no prefix indexes).
 *
 * Why not ask FTS5: its `bm25()` takes 2 µs for each matching row, and its `fts5vocab` table 0.2 µs for each place of a word,
 * once it has crossed over from SQLite as text. Reading the pages themselves takes 0.02 µs, so that a search costs about the
 * same right after a write, when nothing that was read before counts any more.
 *
 * Two properties of this store make it simple: a row's words are written once, since the id of a chunk never comes again, so
 * a word's rows are in one segment each; and what was deleted is known by other means, so delete markers can be passed over.
 */
export class Fts5Index {
  readonly #db: DatabaseSync;
  /** As JSON, which is how SQLite is told of them. */
  #segments = "[]";

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Takes notice of what has been written. */
  refresh(): void {
    const segments = readStructure(this.#block(STRUCTURE));
    this.#segments = JSON.stringify(segments.map(({ id, firstPage }) => [id, firstPage]));
  }

  /**
   * Calls back for each row that has the term, with what its places weigh in all. Rows come in ascending order within a segment,
   * and segments in the order of their age as a rule.
   *
   * @param term As the index has it, stemmed.
   * @param weights What one place in each column weighs.
   */
  read(term: string, weights: readonly number[], each: (row: number, weight: number) => void): void {
    const key = encoder.encode(`${MAIN_INDEX}${term}`);
    for (const { segment, page, block } of this.#pagesFor(key)) {
      const load = (number: number) =>
        number === page && block ? block : this.#block(segmentPage(segment, number));
      new Doclist(load, weights, each).readTerm(page, key);
    }
  }

  /**
   * Calls back for each term that begins with the prefix, in UTF-8; one that is in several segments comes several times. Looks at
   * the pages that terms begin on, and not at those in between, which are most.
   *
   * @param each Its argument is valid during the call.
   */
  terms(prefix: string, each: (term: Uint8Array) => void): void {
    const key = encoder.encode(`${MAIN_INDEX}${prefix}`);
    for (const { segment, page: firstPage } of this.#pagesFor(key)) {
      const pages = all<{ page: number }>(
        this.#db,
        "SELECT pgno >> 1 AS page FROM chunks_fts_idx WHERE segid = ? AND term > ? AND term < ? ORDER BY term",
        segment,
        key,
        successor(key),
      );
      for (const number of new Set([firstPage, ...pages.map(({ page }) => Math.max(page, firstPage))])) {
        readTerms(new Page(this.#block(segmentPage(segment, number))), key, each);
      }
    }
  }

  /** The only page of each segment that can have the term's beginning: of all in one statement, since there are dozens. */
  #pagesFor(key: Uint8Array): { segment: number; page: number; block: Uint8Array | null }[] {
    return all(
      this.#db,
      `SELECT segment, page, (SELECT block FROM chunks_fts_data WHERE id = (segment << 37) + page) AS block FROM (
         SELECT value ->> 0 AS segment, max(value ->> 1, coalesce((
           SELECT pgno >> 1 FROM chunks_fts_idx WHERE segid = value ->> 0 AND term <= ? ORDER BY term DESC LIMIT 1
         ), 0)) AS page FROM json_each(?))`,
      key,
      this.#segments,
    );
  }

  #block(id: number): Uint8Array {
    return first<{ block: Uint8Array }>(this.#db, "SELECT block FROM chunks_fts_data WHERE id = ?", id)
      ?.block ??
      NO_BLOCK;
  }
}

const encoder = new TextEncoder();
const NO_BLOCK = new Uint8Array();

/** Row of the structure record in the data table. */
const STRUCTURE = 10;
/** What terms of the main index (and not of a prefix index) begin with. */
const MAIN_INDEX = "0";
/** Ids of pages: the segment's id above 37 bits of which the lowest 31 are the page's number. */
const segmentPage = (segment: number, page: number): number => segment * 2 ** 37 + page;

interface Segment {
  readonly id: number;
  readonly firstPage: number;
}

/** Segments of all levels, the oldest first. */
function readStructure(block: Uint8Array): Segment[] {
  if (block.length === 0) return [];
  const read = new VarintReader(block, 4);
  // A second format, for indexes with tombstones, which this one never has, is marked by these bytes.
  if (block[4] === 0xff) throw new Error("The full-text index has a format that this version does not know");
  const levels = read.next();
  read.next(); // segments in all
  read.next(); // writes so far
  const found: Segment[][] = [];
  for (let level = 0; level < levels; level++) {
    read.next(); // segments being merged
    const count = read.next();
    const segments: Segment[] = [];
    for (let n = 0; n < count; n++) {
      const segment = { id: read.next(), firstPage: read.next() };
      // Without a last page everything in it has been merged into another one.
      if (read.next() > 0) segments.push(segment);
    }
    found.unshift(segments);
  }
  return found.flat();
}

/** One leaf page of a segment. */
class Page {
  readonly bytes: Uint8Array;
  /** Where the first row stands whose list goes on from the page before; 0: there is none. */
  readonly firstRow: number;
  /** End of the content. What follows is the page's index: where its terms begin. */
  readonly end: number;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.firstRow = bytes.length < 4 ? 0 : (bytes[0] as number) << 8 | bytes[1] as number;
    this.end = bytes.length < 4 ? 0 : (bytes[2] as number) << 8 | bytes[3] as number;
  }

  /** Where terms begin on this page. */
  *terms(): Generator<number> {
    const read = new VarintReader(this.bytes, this.end);
    for (let at = 0; !read.isDone;) yield at += read.next();
  }

  /** Where the first term begins; the content's end if there is none. */
  get firstTerm(): number {
    return this.terms().next().value ?? this.end;
  }
}

/** The terms of one page that begin with the key, without its first byte, which names the index. */
function readTerms(page: Page, key: Uint8Array, each: (term: Uint8Array) => void): void {
  const term = new Uint8Array(page.bytes.length);
  let isFirst = true;
  for (const at of page.terms()) {
    const read = new VarintReader(page.bytes, at);
    const kept = isFirst ? 0 : read.next();
    isFirst = false;
    const length = read.next();
    term.set(page.bytes.subarray(read.at, read.at + length), kept);
    if (key.every((byte, index) => term[index] === byte)) each(term.subarray(1, kept + length));
  }
}

/** The first key behind all that begin with this one. It ends in no 0xff, being UTF-8. */
function successor(key: Uint8Array): Uint8Array {
  const next = key.slice();
  next[next.length - 1] = (next.at(-1) as number) + 1;
  return next;
}

/** Reads the rows of one term in one segment. */
class Doclist {
  readonly #load: (page: number) => Uint8Array;
  readonly #weights: readonly number[];
  readonly #each: (row: number, weight: number) => void;

  constructor(
    load: (page: number) => Uint8Array,
    weights: readonly number[],
    each: (row: number, weight: number) => void,
  ) {
    this.#load = load;
    this.#weights = weights;
    this.#each = each;
  }

  readTerm(pageNumber: number, key: Uint8Array): void {
    const page = new Page(this.#load(pageNumber));
    let isFirst = true;
    // Bytes that the term before has in common with the key.
    let common = 0;
    let found = -1;
    for (const at of page.terms()) {
      if (found >= 0) return this.#readRows(pageNumber, page, found, at);
      const read = new VarintReader(page.bytes, at);
      const kept = isFirst ? 0 : read.next();
      isFirst = false;
      const length = read.next();
      // Terms ascend: one that shares less with the one before than that does with the key lies behind the key.
      if (kept < common) return;
      if (kept === common) {
        while (
          common - kept < length && common < key.length && page.bytes[read.at + common - kept] === key[common]
        ) {
          common++;
        }
        if (common === key.length && kept + length === key.length) found = read.at + length;
      }
    }
    if (found >= 0) this.#readRows(pageNumber, page, found, page.end);
  }

  /**
   * Reads rows up to the end of the doclist: where the next term begins on the same page, else wherever the list ends.
   *
   * A row is a varint (the id, or on the same page its distance to the one before), another (twice the bytes of its places, plus 1
   * for a delete marker), and the places; places may go on at the beginning of the next page.
   */
  #readRows(pageNumber: number, firstPage: Page, start: number, stop: number): void {
    let page = firstPage;
    let { bytes } = page;
    let end = stop;
    let at = start;
    let row = 0;
    for (;;) {
      while (at < end) {
        // The varints are read in place: this loop is where a search spends its time.
        let value = 0;
        let byte: number;
        do {
          byte = bytes[at++] as number;
          value = value * 128 + (byte & 127);
        } while (byte >= 128);
        row += value;
        let size = 0;
        do {
          byte = bytes[at++] as number;
          size = size * 128 + (byte & 127);
        } while (byte >= 128);
        const isDeleted = size % 2 === 1;
        let left = Math.floor(size / 2);
        let weight = 0;
        let columnWeight = this.#weights[0] as number;
        let isColumn = false;
        let base = row;
        while (left > 0) {
          const until = Math.min(at + left, page.end);
          left -= until - at;
          while (at < until) {
            byte = bytes[at++] as number;
            if (isColumn) {
              columnWeight = this.#weights[byte] as number;
              isColumn = false;
            } else if (byte === 1) isColumn = true;
            else {
              while (byte >= 128) byte = bytes[at++] as number;
              weight += columnWeight;
            }
          }
          if (left === 0) break;
          page = new Page(this.#load(++pageNumber));
          if (page.end === 0) return;
          bytes = page.bytes;
          at = 4;
          end = page.firstTerm;
          // The first row of a page says its whole id.
          base = 0;
        }
        if (!isDeleted && weight > 0) this.#each(row, weight);
        row = base;
      }
      // A term begins here, so the list has ended; a list that fills its page may go on.
      if (end < page.end) return;
      do {
        page = new Page(this.#load(++pageNumber));
        if (page.end === 0 || (page.firstRow === 0 && page.firstTerm < page.end)) return;
      } while (page.firstRow === 0);
      ({ bytes } = page);
      at = page.firstRow;
      end = page.firstTerm;
      row = 0;
    }
  }
}
