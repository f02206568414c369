import type { DatabaseSync } from "node:sqlite";
import { IndexDamagedError, requireIntact } from "./errors.ts";
import type { Segment } from "./fts5_format.ts";
import type { IndexMemory } from "./index_memory.ts";
import { DOCLIST_CONTINUES } from "./kernel.ts";
import { MAX_PAGES, readPageRange } from "./leaf_pages.ts";
import type { Checkpoint, LocatedTerm, TermIndex } from "./term_index.ts";
import { type DoclistStart, TermPages } from "./term_pages.ts";

/** Maximum number of segments of an index, of FTS5. */
const MAX_SEGMENTS = 2000;
/** Maximum number of times that pages are read for some terms: others may overwrite the first ones. */
const MAX_READS = 3;

/** Maximum number of pages of added segments that are read at once: those of a few texts. */
const MAX_ADDED_PAGES = 16;

/** A term with its doclists. */
interface LocatedDoclists extends LocatedTerm {
  readonly starts: readonly DoclistStart[];
}

/** How the kernel reads a doclist. */
interface Reading {
  readonly first: (address: number, start: number, end: number) => number;
  readonly next: (address: number, length: number) => number;
  readonly checkpoint: Checkpoint | undefined;
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
  readonly #segments: Segment[] = [];
  /** Revision in which each segment was added: the newest last. */
  readonly #revisions: number[] = [];
  readonly #table: string;
  readonly #pages: TermPages;

  /**
   * @param segments Segments of the current structure record.
   * @param options.revision As for {@linkcode add}.
   */
  constructor(
    db: DatabaseSync,
    segments: readonly Segment[],
    { memory, table = "chunks_fts", revision = 0 }: {
      readonly memory: IndexMemory;
      readonly table?: string | undefined;
      readonly revision?: number;
    },
  ) {
    this.#db = db;
    this.#memory = memory;
    this.#table = table;
    const area = memory.areas[table === "derived_fts" ? "derived" : "words"];
    this.#pages = new TermPages(db, { table, memory, area });
    this.add(segments, { revision });
  }

  /**
   * Adds newer segments. Their terms must be located again: see {@linkcode hasAdded}.
   *
   * @param options.kept Number of the segments that remain before them. @default all
   * @param options.revision Number that does not become smaller, for {@linkcode hasAdded}. @default {0}
   */
  add(
    segments: readonly Segment[],
    { kept = this.#segments.length, revision = 0 }: { readonly kept?: number; readonly revision?: number } =
      {},
  ): void {
    this.#segments.length = kept;
    if (this.#segments.length + segments.length > MAX_SEGMENTS) {
      throw new IndexDamagedError("The structure of the full-text index is damaged");
    }
    this.#segments.push(...segments);
    this.#revisions.length = kept;
    for (let n = 0; n < segments.length; n++) this.#revisions.push(revision);
    this.#pages.add(segments, { kept });
  }

  /** Reads the directory of the pages, unless it is in memory. */
  loadDirectory(): void {
    this.#pages.load();
  }

  /**
   * Reads the pages of the segments that were added last, on which the next searches look for their terms. Not those of
   * many texts, which would take longer than it saves.
   *
   * @param segments Number of these segments, at least 1.
   */
  readLast(segments: number): void {
    const [first, end] = this.#pages.lastEntries(segments) ?? [0, 0];
    if (end - first > MAX_ADDED_PAGES) return;
    this.#pages.read(new Set(Array.from({ length: end - first }, (_, index) => first + index)));
  }

  /**
   * Whether segments that were added after a revision may contain a term. Those that were merged since count as added
   * then.
   *
   * @throws {IndexDamagedError} If a page is damaged.
   */
  hasAdded(term: string, revision: number): boolean {
    let from = this.#revisions.length;
    while (from > 0 && (this.#revisions[from - 1] as number) > revision) from--;
    return from < this.#revisions.length && this.#pages.mayContain(term, new Set(), from);
  }

  locate(terms: readonly string[]): LocatedDoclists[] {
    const size = this.#termsPerRead();
    const located: LocatedDoclists[] = [];
    for (let at = 0; at < terms.length; at += size) {
      const batch = terms.slice(at, at + size);
      const starts = this.#find(batch);
      located.push(...batch.map((term, index) => locatedTerm(term, starts[index] ?? [])));
    }
    return located;
  }

  read(located: LocatedDoclists, checkpoint?: Checkpoint): void {
    const { kernel } = this.#memory;
    this.#readAll(located, { first: kernel.readFirst, next: kernel.readNext, checkpoint });
  }

  readPositions(located: LocatedDoclists, checkpoint?: Checkpoint): boolean {
    const { kernel } = this.#memory;
    this.#readAll(located, { first: kernel.readFirstPositions, next: kernel.readNextPositions, checkpoint });
    return true;
  }

  #readAll({ term, starts }: LocatedDoclists, reading: Reading): void {
    const { round } = this.#pages;
    const isInMemory = starts.every((start) => start.round === round);
    for (
      const { segment, pageNumber, lastPage, address, start, end } of isInMemory
        ? starts
        : this.#find([term])[0] ?? []
    ) {
      const state = requireIntact(reading.first(address, start, end));
      if (state === DOCLIST_CONTINUES) this.#readNext(segment, [pageNumber + 1, lastPage], reading);
    }
  }

  /** Reads the rest of a doclist from its second page on. */
  #readNext(
    segment: number,
    [from, to]: readonly [number, number],
    { next: readNext, checkpoint }: Reading,
  ): void {
    for (let next = from; next <= to;) {
      checkpoint?.();
      const range = { segment, from: next, to: Math.min(to, next + MAX_PAGES - 1) };
      const pages = readPageRange(this.#db, this.#table, range);
      if (pages.length === 0) return;
      const staged = this.#memory.stageNext(pages.map(([, block]) => block));
      for (const [index, { address, length }] of staged.entries()) {
        // A missing page ends the doclist.
        if (pages[index]?.[0] !== next) return;
        next++;
        if (requireIntact(readNext(address, length)) !== DOCLIST_CONTINUES) return;
      }
    }
  }

  /** Number of terms, or prefixes, whose first pages one statement reads. */
  #termsPerRead(): number {
    return Math.max(1, Math.floor(MAX_PAGES / Math.max(1, this.#segments.length)));
  }

  /** Finds the doclists of some terms. */
  #find(terms: readonly string[]): (readonly DoclistStart[])[] {
    for (let reads = 0; reads <= MAX_READS; reads++) {
      const missing = new Set<number>();
      const starts = terms.map((term) => this.#pages.find(term, missing));
      if (missing.size === 0) return starts;
      this.#pages.read(missing);
    }
    throw new RangeError(`Cannot keep the pages of ${this.#segments.length} segments in memory`);
  }

  visitTerms(prefixes: readonly string[], visit: (term: string, prefix: number) => unknown): void {
    const size = this.#termsPerRead();
    for (let at = 0; at < prefixes.length; at += size) {
      const ranges: (readonly [index: number, entries: Uint32Array])[] = [];
      const missing = new Set<number>();
      for (let index = at; index < Math.min(at + size, prefixes.length); index++) {
        const entries = this.#pages.entriesWithPrefix(prefixes[index] as string);
        // Hardly any of the prefixes of a query has terms.
        if (entries.length === 0) continue;
        ranges.push([index, entries]);
        for (let n = 0; n < entries.length; n += 2) {
          if (!this.#pages.page(entries[n] as number)) missing.add(entries[n] as number);
        }
      }
      if (missing.size > 0) this.#pages.read(missing);
      for (const [index, entries] of ranges) {
        const keyLength = this.#pages.writeKey(prefixes[index] as string) ?? 0;
        const visitTerm = (term: string) => visit(term, index);
        for (let n = 0; n < entries.length; n += 2) {
          const [from, end] = [entries[n] as number, entries[n + 1] as number];
          if (from < end && !this.#visitPages(from, end, { keyLength, visit: visitTerm })) break;
        }
      }
    }
  }

  /** Whether {@linkcode existing} is fast for terms of which few exist. */
  get hasFilters(): boolean {
    return this.#pages.hasFilters;
  }

  /** Returns those of the terms that the index contains, each once. */
  existing(terms: readonly string[]): string[] {
    const missing = new Set<number>();
    let possible = terms.filter((term) => this.#pages.mayContain(term, missing));
    if (missing.size > 0 && this.#pages.fillShortFilters(missing)) {
      possible = possible.filter((term) => this.#pages.mayContain(term, missing));
    }
    // Only now: V8 moves each string in a set to a table, which stays until the next major garbage collection.
    return this.locate([...new Set(possible)]).filter(({ isAbsent }) => !isAbsent).map(({ term }) => term);
  }

  /** Visits the terms on the pages of some entries. Returns whether to continue. */
  #visitPages(
    from: number,
    end: number,
    { keyLength, visit }: {
      readonly keyLength: number;
      readonly visit: (term: string) => unknown;
    },
  ): boolean {
    // Pages that were read for the same call may have been overwritten.
    const first = this.#pages.page(from);
    let pages = first ? [first] : this.#pages.readNext([from]);
    for (let next = from + 1;;) {
      for (const page of pages) if (!this.#memory.visitTerms(page, keyLength, visit)) return false;
      if (next >= end) return true;
      const count = Math.min(end - next, MAX_PAGES);
      pages = this.#pages.readNext(Array.from({ length: count }, (_, index) => next + index));
      next += count;
    }
  }
}

function locatedTerm(term: string, starts: readonly DoclistStart[]): LocatedDoclists {
  let bytes = 0;
  for (const { pageNumber, lastPage, length, start, end } of starts) {
    bytes += end - start + Math.max(0, lastPage - pageNumber) * length;
  }
  return { term, bytes, isAbsent: starts.length === 0, starts };
}
