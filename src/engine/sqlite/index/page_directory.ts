import type { DatabaseSync } from "node:sqlite";
import { first } from "../store/mod.ts";

/** First keys of the pages of a segment, ascending, one after the other. */
interface SegmentDirectory {
  readonly keys: Uint8Array;
  /** Offset of each key, and the end of the last. */
  readonly offsets: readonly number[];
  readonly pages: readonly number[];
}

/** Where a key is, or would be, in a segment. */
export interface PageOfKey {
  /** Page with the greatest first key up to the key; 0 if there is none. */
  readonly page: number;
  /** Next page that a term starts on; 0 if there is none. */
  readonly next: number;
  /** Whether the first key of the next page is below an end. */
  isNextBelow(end: Uint8Array): boolean;
}

/**
 * The table `%_idx` of a small index in memory: a search for a page takes less than a microsecond, and several of
 * them in SQLite.
 */
export class PageDirectory {
  readonly #segments: ReadonlyMap<number, SegmentDirectory>;

  private constructor(segments: ReadonlyMap<number, SegmentDirectory>) {
    this.#segments = segments;
  }

  /** Reads the directory of an index, unless it has more entries than `maxEntries`. */
  static read(db: DatabaseSync, table: string, maxEntries: number): PageDirectory | undefined {
    if (first(db, `SELECT 1 FROM ${table}_idx LIMIT 1 OFFSET ?`, maxEntries)) return undefined;
    const row = first<{ segments: string; pages: string; lengths: string; keys: Uint8Array | null }>(
      db,
      `SELECT json_group_array(segid) AS segments, json_group_array(pgno >> 1) AS pages,
              json_group_array(length(term)) AS lengths, CAST(group_concat(term, '') AS BLOB) AS keys
         FROM (SELECT segid, pgno, CAST(term AS BLOB) AS term FROM ${table}_idx ORDER BY segid, term)`,
    );
    const [ids, pages, lengths] = [row?.segments, row?.pages, row?.lengths].map((json) =>
      JSON.parse(json ?? "[]") as number[]
    ) as [number[], number[], number[]];
    const keys = row?.keys ?? new Uint8Array();
    const segments = new Map<number, { keys: Uint8Array; offsets: number[]; pages: number[] }>();
    let offset = 0;
    for (const [index, id] of ids.entries()) {
      let segment = segments.get(id);
      if (!segment) segments.set(id, segment = { keys, offsets: [offset], pages: [] });
      segment.pages.push(pages[index] as number);
      segment.offsets.push(offset += lengths[index] as number);
    }
    return new PageDirectory(segments);
  }

  /** Finds the page of a key. */
  find(segment: number, key: Uint8Array): PageOfKey {
    const directory = this.#segments.get(segment);
    if (!directory) return NO_PAGE;
    let low = 0;
    for (let high = directory.pages.length; low < high;) {
      const middle = (low + high) >> 1;
      if (compareEntry(directory, middle, key) <= 0) low = middle + 1;
      else high = middle;
    }
    return {
      page: directory.pages[low - 1] ?? 0,
      next: directory.pages[low] ?? 0,
      isNextBelow: (end) => low < directory.pages.length && compareEntry(directory, low, end) < 0,
    };
  }
}

const NO_PAGE: PageOfKey = { page: 0, next: 0, isNextBelow: () => false };

/** Compares as SQLite compares blobs. */
function compareEntry({ keys, offsets }: SegmentDirectory, entry: number, key: Uint8Array): number {
  const start = offsets[entry] as number;
  const length = (offsets[entry + 1] as number) - start;
  const common = Math.min(length, key.length);
  for (let i = 0; i < common; i++) {
    const difference = (keys[start + i] as number) - (key[i] as number);
    if (difference !== 0) return difference;
  }
  return length - key.length;
}
