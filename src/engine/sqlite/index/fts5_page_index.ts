import type { DatabaseSync } from "node:sqlite";
import { all, first } from "../store/mod.ts";
import { IndexDamagedError } from "./errors.ts";
import { leafRowid, type Segment, termKey } from "./fts5_format.ts";
import type { IndexMemory, StagedPage } from "./index_memory.ts";
import { DAMAGED, DOCLIST_CONTINUES } from "./kernel.ts";
import { PageDirectory } from "./page_directory.ts";
import type { Checkpoint, LocatedTerm, TermIndex } from "./term_index.ts";

/** Maximum number of pages that a statement reads: one for each term in each segment, or consecutive ones. */
const MAX_PAGES = 64;
/** Maximum number of entries of a directory in memory. That of derived terms has 1,000 in a store of 500,000 chunks. */
const MAX_DIRECTORY = 4096;
/** Multiplied with the id of a segment to pack it with a page number. */
const SEGMENT_FACTOR = 2 ** 31;

/** Segments that a statement reads. */
interface SegmentGroup {
  readonly segments: readonly Segment[];
  /** Id and first page of each, packed, as JSON for an SQL parameter. */
  readonly packed: string;
}

/** The doclist of a term in a segment, on the page where it starts. */
interface DoclistStart {
  readonly segment: number;
  readonly pageNumber: number;
  /** Last page on which the doclist may end; 0 if it ends on the first. */
  readonly lastPage: number;
  /** Address and size of the page, valid in a staging round. */
  readonly address: number;
  readonly length: number;
  readonly round: number;
  /** Offsets of the doclist on the page. */
  readonly start: number;
  readonly end: number;
}

/** A term with its doclists. */
interface LocatedDoclists extends LocatedTerm {
  readonly starts: readonly DoclistStart[];
}

/** Consecutive leaf pages. */
interface PageRange {
  readonly numbers: readonly number[];
  readonly lengths: readonly number[];
  readonly bytes: Uint8Array;
}

/**
 * Reads the full-text index from FTS5's own pages, which the kernel decodes.
 *
 * Why not SQL: `bm25()` takes 2 µs per matching row and `fts5vocab` 0.2 µs per occurrence, because values
 * pass from SQLite to JavaScript one by one. Reading pages takes about 0.01 µs per posting, so that a search right
 * after a write, with empty caches, is almost as fast as any other.
 *
 * Two properties of this store keep it simple. The id of a chunk is never reused, so that a row occurs in one
 * segment per term. And the kernel knows the existing chunks, so that delete markers can be skipped.
 */
export class Fts5PageIndex implements TermIndex<LocatedDoclists> {
  readonly #db: DatabaseSync;
  readonly #memory: IndexMemory;
  readonly #segments: readonly Segment[];
  readonly #groups: readonly SegmentGroup[];
  /** Pages in memory by their rowids, valid in a staging round. */
  readonly #staged = new Map<number, StagedPage>();
  #stagedRound = 0;
  readonly #table: string;
  readonly #maxDirectory: number;
  /** Undefined: not read yet; null: too large. */
  #directory: PageDirectory | null | undefined;

  /**
   * @param segments Segments of the current structure record.
   * @param options.maxDirectory Maximum number of entries of the directory in memory. @default {4096}
   */
  constructor(
    db: DatabaseSync,
    segments: readonly Segment[],
    { memory, table = "chunks_fts", maxDirectory = MAX_DIRECTORY }: {
      readonly memory: IndexMemory;
      readonly table?: string | undefined;
      readonly maxDirectory?: number | undefined;
    },
  ) {
    this.#maxDirectory = maxDirectory;
    this.#db = db;
    this.#memory = memory;
    this.#table = table;
    this.#segments = segments;
    this.#groups = Array.from({ length: Math.ceil(segments.length / MAX_PAGES) }, (_, index) => {
      const group = segments.slice(index * MAX_PAGES, (index + 1) * MAX_PAGES);
      return {
        segments: group,
        packed: JSON.stringify(group.map(({ id, firstPage }) => id * SEGMENT_FACTOR + firstPage)),
      };
    });
  }

  locate(terms: readonly string[]): LocatedDoclists[] {
    const size = Math.max(1, Math.floor(MAX_PAGES / Math.max(1, this.#segments.length)));
    const located: LocatedDoclists[] = [];
    for (let at = 0; at < terms.length; at += size) {
      const batch = terms.slice(at, at + size);
      const groups = this.#groups.map((segments) => this.#locate(batch, segments));
      located.push(...batch.map((term, index) => merge(term, groups.map((group) => group[index] ?? []))));
    }
    return located;
  }

  read({ term, starts }: LocatedDoclists, checkpoint?: Checkpoint): void {
    const { stagingRound } = this.#memory;
    if (starts.every(({ round }) => round === stagingRound)) this.#readAll(starts, checkpoint);
    else {for (const segments of this.#groups) {
        this.#readAll(this.#locate([term], segments)[0] ?? [], checkpoint);
      }}
  }

  #readAll(starts: readonly DoclistStart[], checkpoint: Checkpoint | undefined): void {
    for (const { segment, pageNumber, lastPage, address, start, end } of starts) {
      const state = requireIntact(this.#memory.kernel.readFirst(address, start, end));
      if (state === DOCLIST_CONTINUES) this.#readNext(segment, [pageNumber + 1, lastPage], checkpoint);
    }
  }

  /** Reads the rest of a doclist from its second page on. */
  #readNext(
    segment: number,
    [from, to]: readonly [number, number],
    checkpoint: Checkpoint | undefined,
  ): void {
    const { kernel } = this.#memory;
    for (let next = from; next <= to;) {
      checkpoint?.();
      const range = this.#readPages(segment, next, Math.min(to, next + MAX_PAGES - 1));
      if (range.lengths.length === 0) return;
      let address = this.#memory.stageNext(range.bytes);
      for (const [index, length] of range.lengths.entries()) {
        // A missing page ends the doclist.
        if (range.numbers[index] !== next) return;
        next++;
        if (requireIntact(kernel.readNext(address, length)) !== DOCLIST_CONTINUES) return;
        address += length;
      }
    }
  }

  /** Finds the doclists of terms, in one statement for all segments. */
  #locate(terms: readonly string[], segments: SegmentGroup): DoclistStart[][] {
    const { pages, next } = this.#findPages(terms, segments);
    const staged = this.#stagePages(pages, segments.segments);
    let at = 0;
    const round = this.#memory.stagingRound;
    return terms.map((term) => {
      const keyLength = this.#memory.writeKey(termKey(term));
      const starts: DoclistStart[] = [];
      for (const { id, lastPage: lastOfSegment } of segments.segments) {
        const pageNumber = pages[at] ?? 0;
        const { address, length } = staged[at] ?? NO_PAGE;
        const nextPage = next[at] ?? 0;
        at++;
        if (keyLength === undefined || length === 0) continue;
        const found = this.#findDoclist(address, length, keyLength);
        if (found) {
          const { isLast, ...range } = found;
          const lastPage = !isLast ? 0 : nextPage > pageNumber ? nextPage : lastOfSegment;
          starts.push({ segment: id, pageNumber, lastPage, address, length, round, ...range });
        }
      }
      return starts;
    });
  }

  /** The directory of a small index; it is valid for the structure, as the segments are. */
  #directoryInMemory(): PageDirectory | null {
    if (this.#directory === undefined) {
      this.#directory = PageDirectory.read(this.#db, this.#table, this.#maxDirectory) ?? null;
    }
    return this.#directory;
  }

  /** Finds the page of each term in each segment, and the next one that a term starts on. */
  #findPages(
    terms: readonly string[],
    segments: SegmentGroup,
  ): { readonly pages: readonly number[]; readonly next: readonly (number | null)[] } {
    const directory = this.#directoryInMemory();
    if (directory) {
      const found = terms.map(termKey).flatMap((key) =>
        segments.segments.map(({ id, firstPage }) => ({ firstPage, ...directory.find(id, key) }))
      );
      return {
        pages: found.map(({ firstPage, page }) => Math.max(firstPage, page)),
        next: found.map(({ next }) => next),
      };
    }
    const table = this.#table;
    const row = first<{ pages: string; next: string }>(
      this.#db,
      `SELECT json_group_array(page) AS pages, json_group_array(next) AS next
         FROM (
           SELECT page, (SELECT pgno >> 1 FROM ${table}_idx WHERE segid = segment AND term > key ORDER BY term LIMIT 1) AS next
             FROM (
               SELECT key, segment, max(firstPage, coalesce((
                 SELECT pgno >> 1 FROM ${table}_idx WHERE segid = segment AND term <= key ORDER BY term DESC LIMIT 1
               ), 0)) AS page FROM (
                 SELECT CAST(t.value AS BLOB) AS key, s.value >> 31 AS segment, s.value & 0x7fffffff AS firstPage
                   FROM json_each(?) t CROSS JOIN json_each(?) s)))`,
      JSON.stringify(terms.map((term) => MAIN_INDEX + term)),
      segments.packed,
    );
    const pages = JSON.parse(row?.pages ?? "[]") as number[];
    const next = JSON.parse(row?.next ?? "[]") as (number | null)[];
    return { pages, next };
  }

  /** Finds the first page of each prefix in each segment, and whether terms with it start on others. */
  #findPrefixPages(
    prefixes: readonly string[],
    { segments, packed }: SegmentGroup,
  ): { readonly pages: readonly number[]; readonly others: readonly number[] } {
    const directory = this.#directoryInMemory();
    if (directory) {
      const found = prefixes.map(termKey).flatMap((key) => {
        const after = afterPrefix(key);
        return segments.map(({ id, firstPage }) => {
          const { page, isNextBelow } = directory.find(id, key);
          return { page: Math.max(firstPage, page), others: Number(isNextBelow(after)) };
        });
      });
      return { pages: found.map(({ page }) => page), others: found.map(({ others }) => others) };
    }
    const table = this.#table;
    // The table `…_idx` lists only the pages on which a term starts, a small part of all pages. Most prefixes are on one
    // page of a segment.
    const row = first<{ pages: string; others: string }>(
      this.#db,
      `SELECT json_group_array(page) AS pages, json_group_array(others) AS others
         FROM (
               SELECT segment, max(firstPage, coalesce((
                 SELECT pgno >> 1 FROM ${table}_idx WHERE segid = segment AND term <= key ORDER BY term DESC LIMIT 1
               ), 0)) AS page,
               EXISTS (SELECT 1 FROM ${table}_idx WHERE segid = segment AND term > key AND term < after) AS others
                 FROM (
                   SELECT CAST(t.value ->> 0 AS BLOB) AS key, unhex(t.value ->> 1) AS after,
                          s.value >> 31 AS segment, s.value & 0x7fffffff AS firstPage
                     FROM json_each(?) t CROSS JOIN json_each(?) s))`,
      JSON.stringify(prefixes.map((prefix) => [MAIN_INDEX + prefix, afterPrefix(termKey(prefix)).toHex()])),
      packed,
    );
    const pages = JSON.parse(row?.pages ?? "[]") as number[];
    const others = JSON.parse(row?.others ?? "[]") as number[];
    return { pages, others };
  }

  /**
   * Returns the pages with some numbers, in each segment by turns. Pages remain in memory for later searches: those of
   * derived terms are few.
   */
  #stagePages(numbers: readonly number[], segments: readonly Segment[]): StagedPage[] {
    const rowids = numbers.map((number, index) =>
      leafRowid((segments[index % segments.length] as Segment).id, number)
    );
    const { stagingRound } = this.#memory;
    this.#readMissing(rowids);
    // The pages that were staged before are overwritten.
    if (this.#memory.stagingRound !== stagingRound) this.#readMissing(rowids);
    return rowids.map((rowid) => this.#staged.get(rowid) ?? NO_PAGE);
  }

  #readMissing(rowids: readonly number[]): void {
    if (this.#stagedRound !== this.#memory.stagingRound) this.#staged.clear();
    this.#stagedRound = this.#memory.stagingRound;
    const missing = [...new Set(rowids)].filter((rowid) => !this.#staged.has(rowid));
    if (missing.length === 0) return;
    const row = first<{ lengths: string; bytes: Uint8Array | null }>(
      this.#db,
      `SELECT json_group_array(length(block)) AS lengths, CAST(group_concat(block, '') AS BLOB) AS bytes
         FROM (SELECT (SELECT block FROM ${this.#table}_data WHERE id = j.value) AS block FROM json_each(?) j ORDER BY j.key)`,
      JSON.stringify(missing),
    );
    const lengths = JSON.parse(row?.lengths ?? "[]") as (number | null)[];
    let address = this.#memory.stage(row?.bytes ?? NO_BYTES);
    if (this.#stagedRound !== this.#memory.stagingRound) this.#staged.clear();
    this.#stagedRound = this.#memory.stagingRound;
    for (const [index, rowid] of missing.entries()) {
      const length = lengths[index] ?? 0;
      this.#staged.set(rowid, { address, length });
      address += length;
    }
  }

  /** Finds the doclist of the key on a staged page. */
  #findDoclist(
    address: number,
    length: number,
    keyLength: number,
  ): { readonly start: number; readonly end: number; readonly isLast: boolean } | undefined {
    const { kernel, key, bytes } = this.#memory;
    if (requireIntact(kernel.findDoclist(address, length, key, keyLength)) === 0) return undefined;
    const end = kernel.foundEnd();
    const contentEnd = (bytes[address + 2] as number) << 8 | bytes[address + 3] as number;
    return { start: kernel.foundStart(), end, isLast: end === contentEnd };
  }

  visitTerms(prefixes: readonly string[], visit: (term: Uint8Array, prefix: number) => unknown): void {
    const isDone = prefixes.map(() => false);
    const size = Math.max(1, Math.floor(MAX_PAGES / Math.max(1, this.#segments.length)));
    for (let at = 0; at < prefixes.length; at += size) {
      for (const segments of this.#groups) {
        this.#visitTerms(prefixes.slice(at, at + size), segments, {
          isDone: (index) => isDone[at + index] === true,
          visit: (term, index) => {
            if (visit(term, at + index) === false) isDone[at + index] = true;
            return !isDone[at + index];
          },
        });
      }
    }
  }

  #visitTerms(
    prefixes: readonly string[],
    { segments, packed }: SegmentGroup,
    { isDone, visit }: {
      readonly isDone: (prefix: number) => boolean;
      readonly visit: (term: Uint8Array, prefix: number) => boolean;
    },
  ): void {
    const { pages, others } = this.#findPrefixPages(prefixes, { segments, packed });
    const staged = this.#stagePages(pages, segments);
    let at = 0;
    for (const [index, prefix] of prefixes.entries()) {
      const keyLength = this.#memory.writeKey(termKey(prefix)) ?? 0;
      const visitTerm = (term: Uint8Array) => visit(term, index);
      for (const { id } of segments) {
        const stagedPage = staged[at] ?? NO_PAGE;
        const page = pages[at] ?? 0;
        const hasOthers = others[at] === 1;
        at++;
        if (keyLength > 0 && !isDone(index)) {
          const isVisited = this.#memory.visitTerms(stagedPage, keyLength, visitTerm);
          if (isVisited && hasOthers) {
            this.#visitOtherPages(prefix, { segment: id, page, keyLength, visit: visitTerm });
          }
        }
      }
    }
  }

  /** Visits the terms with a prefix on the pages after their first. */
  #visitOtherPages(
    prefix: string,
    { segment, page, keyLength, visit }: {
      readonly segment: number;
      readonly page: number;
      readonly keyLength: number;
      readonly visit: (term: Uint8Array) => boolean;
    },
  ): void {
    const key = termKey(prefix);
    const rows = all<{ number: number }>(
      this.#db,
      `SELECT pgno >> 1 AS number FROM ${this.#table}_idx WHERE segid = ? AND term > ? AND term < ? ORDER BY term`,
      segment,
      key,
      afterPrefix(key),
    );
    const numbers = rows.map(({ number }) => number).filter((number) => number > page);
    for (let at = 0; at < numbers.length; at += MAX_PAGES) {
      const row = first<{ lengths: string; bytes: Uint8Array | null }>(
        this.#db,
        `SELECT json_group_array(length(block)) AS lengths, CAST(group_concat(block, '') AS BLOB) AS bytes
           FROM (SELECT d.block FROM json_each(?) j JOIN ${this.#table}_data d ON d.id = (? << 37) + j.value ORDER BY j.key)`,
        JSON.stringify(numbers.slice(at, at + MAX_PAGES)),
        segment,
      );
      let address = this.#memory.stageNext(row?.bytes ?? NO_BYTES);
      for (const length of JSON.parse(row?.lengths ?? "[]") as number[]) {
        if (!this.#memory.visitTerms({ address, length }, keyLength, visit)) return;
        address += length;
      }
    }
  }

  /** Reads consecutive pages, as far as they exist. */
  #readPages(segment: number, from: number, to: number): PageRange {
    // One value for all pages: passing an object per page from SQLite takes several times as long.
    const row = first<{ numbers: string; lengths: string; bytes: Uint8Array | null }>(
      this.#db,
      `SELECT json_group_array(id & 0x7fffffff) AS numbers, json_group_array(length(block)) AS lengths,
              CAST(group_concat(block, '') AS BLOB) AS bytes
         FROM (SELECT id, block FROM ${this.#table}_data WHERE id BETWEEN ? AND ? ORDER BY id)`,
      leafRowid(segment, from),
      leafRowid(segment, to),
    );
    return {
      numbers: JSON.parse(row?.numbers ?? "[]") as number[],
      lengths: JSON.parse(row?.lengths ?? "[]") as number[],
      bytes: row?.bytes ?? NO_BYTES,
    };
  }
}

function merge(term: string, groups: readonly (readonly DoclistStart[])[]): LocatedDoclists {
  const starts = groups.flat();
  let bytes = 0;
  for (const { pageNumber, lastPage, length, start, end } of starts) {
    bytes += end - start + Math.max(0, lastPage - pageNumber) * length;
  }
  return { term, bytes, starts };
}

/** A page that does not exist. */
const NO_PAGE: StagedPage = { address: 0, length: 0 };
const NO_BYTES = new Uint8Array();
/** First character of the terms of the main index. */
const MAIN_INDEX = "0";

/** @throws {IndexDamagedError} If the kernel has found damage. */
function requireIntact(state: number): number {
  if (state === DAMAGED) throw new IndexDamagedError("A leaf page of the full-text index is damaged");
  return state;
}

/**
 * Returns the first key after all keys with this prefix. UTF-8 never ends in 0xff, so that there is no carry.
 */
function afterPrefix(key: Uint8Array): Uint8Array {
  const next = key.slice();
  next[next.length - 1] = (next.at(-1) as number) + 1;
  return next;
}
