import type { DatabaseSync } from "node:sqlite";
import { all } from "../store/read_only.ts";
import { IndexDamagedError, requireIntact } from "./errors.ts";
import { leafRowid, type Segment, termKey, writeTermKey } from "./fts5_format.ts";
import type { IndexArea, IndexMemory, PageInMemory } from "./index_memory.ts";
import { type LeafPage, MAX_PAGES, readPages } from "./leaf_pages.ts";

/** Maximum size of a page: the largest that FTS5 allows. */
const MAX_PAGE_BYTES = 65_536;
/** Size of a filter of terms; see kernel/term_filter.as. */
const FILTER_BYTES = 1024;
/** Size of a short filter of terms; see kernel/term_filter.as. */
const SHORT_FILTER_BYTES = 128;
const LENGTH_BYTES = 4;
/**
 * Maximum number of pages of an index with a filter before each page, which nearly all fit into memory. A larger index has
 * short filters in its directory, which remain when pages are overwritten.
 */
const MAX_FILTERED = 1536;
/** Maximum length of a term whose key certainly fits into the kernel's memory, in UTF-16 code units. */
const MAX_KEY_CHARS = 20_000;
/** Zeros behind a page end a varint that a damaged page does not. */
const ZERO_BYTES = 64;
/** Size of a segment in the directory. */
const SEGMENT_BYTES = 8;
/** Numbers per doclist that the kernel writes; see kernel/directory.as. */
const FOUND_NUMBERS = 4;

/** The doclist of a term in a segment, on the page where it starts. */
export interface DoclistStart {
  readonly segment: number;
  readonly pageNumber: number;
  /** Last page on which the doclist may end; 0 if it ends on the first. */
  readonly lastPage: number;
  /** Address and size of the page, valid in a round of {@linkcode TermPages.round}. */
  readonly address: number;
  readonly length: number;
  readonly round: number;
  /** Offsets of the doclist on the page. */
  readonly start: number;
  readonly end: number;
}

/** Entries of `%_idx`, those of a segment one after the other, in the order of their keys. */
interface Entries {
  /** Segment of each entry. */
  readonly segmentOf: Segment[];
  /** Number of the page of each entry. */
  readonly pageNumbers: number[];
  /** End of the entries of each segment. */
  readonly ends: number[];
  /** End of the key of each entry, in the keys of all. */
  readonly keyEnds: number[];
  /** Keys of the segments. */
  readonly keys: Uint8Array[];
}

/** Entries in the kernel's memory, with capacity for others. */
interface Directory {
  readonly segmentOf: Segment[];
  readonly pageNumbers: number[];
  /** Number of segments. */
  segments: number;
  /** Size of all keys. */
  keyBytes: number;
  readonly maxSegments: number;
  readonly maxEntries: number;
  /** Size of the filter before each page; 0: none. */
  readonly filterBytes: number;
  /** Addresses in the kernel's memory: as the kernel's `setDirectory` takes them. There may be no short filters: 0. */
  readonly addresses: readonly [
    segments: number,
    offsets: number,
    keys: number,
    pages: number,
    shortFilters: number,
  ];
}

/** Capacity of a directory for segments that are added later. */
const SPARE_SEGMENTS = 64;
const SPARE_ENTRIES = 1024;

const NO_ENTRIES = new Uint32Array();
const NO_DOCLISTS: readonly DoclistStart[] = [];
const NOT_FOUND = { found: 0, unread: 0 };

/**
 * The pages of an index on which terms start: a directory of all, from the table `%_idx`, and those that were read
 * last. Both are in the memory of the kernel, which finds a term in all segments in one call.
 */
export class TermPages {
  readonly #db: DatabaseSync;
  readonly #table: string;
  readonly #segments: Segment[] = [];
  readonly #memory: IndexMemory;
  readonly #area: IndexArea;
  #directory: Directory | undefined;
  #next = 0;
  #round = 0;

  constructor(
    db: DatabaseSync,
    { table, memory, area }: {
      readonly table: string;
      readonly memory: IndexMemory;
      readonly area: IndexArea;
    },
  ) {
    this.#db = db;
    this.#table = table;
    this.#memory = memory;
    this.#area = area;
  }

  /**
   * Adds newer segments. The pages in memory remain there.
   *
   * @param options.kept Number of the segments that remain before them.
   */
  add(segments: readonly Segment[], { kept }: { readonly kept: number }): void {
    this.#segments.length = kept;
    this.#segments.push(...segments);
    const directory = this.#directory;
    // Read on the first use, or after a failure.
    this.#directory = undefined;
    if (!directory || this.#area.owner !== this) return;
    const entries = this.#readEntries(segments);
    this.#truncate(directory, kept);
    if (this.#add(entries, directory)) this.#directory = directory;
  }

  /** Removes the entries of the newest segments. */
  #truncate(directory: Directory, kept: number): void {
    const { numbers } = this.#memory;
    const [segments, offsets] = directory.addresses;
    const count = kept === 0 ? 0 : numbers[(segments >> 2) + 2 * kept - 1] as number;
    directory.segments = kept;
    directory.segmentOf.length = directory.pageNumbers.length = count;
    directory.keyBytes = numbers[(offsets >> 2) + count] as number;
  }

  /** Changes when pages are overwritten. */
  get round(): number {
    return this.#round;
  }

  /**
   * Finds the doclists of a term.
   *
   * @param missing Receives the entries of pages that have to be read first.
   * @throws {IndexDamagedError} If a page is damaged.
   */
  find(term: string, missing: Set<number>): readonly DoclistStart[] {
    const { segmentOf, pageNumbers } = this.#load();
    const { found } = this.#find(term, missing);
    if (found === 0) return NO_DOCLISTS;
    const { bytes, numbers, results } = this.#memory;
    const starts: DoclistStart[] = [];
    for (let n = 0, at = results >> 2; n < found; n++, at += FOUND_NUMBERS) {
      const entry = numbers[at] as number;
      const address = numbers[at + 1] as number;
      const end = numbers[at + 3] as number;
      const segment = segmentOf[entry] as Segment;
      const contentEnd = (bytes[address + 2] as number) << 8 | bytes[address + 3] as number;
      const next = segmentOf[entry + 1] === segment ? pageNumbers[entry + 1] as number : segment.lastPage;
      starts.push({
        segment: segment.id,
        pageNumber: pageNumbers[entry] as number,
        lastPage: end === contentEnd ? next : 0,
        address,
        length: numbers[(address - LENGTH_BYTES) >> 2] as number,
        round: this.#round,
        start: numbers[at + 2] as number,
        end,
      });
    }
    return starts;
  }

  /**
   * Whether a term may be in the index, as far as pages and filters in memory tell.
   *
   * @param missing Receives the entries of pages that may contain the term and are not in memory.
   * @param from Number of the oldest segments that are left out.
   * @throws {IndexDamagedError} If a page is damaged.
   */
  mayContain(term: string, missing: Set<number>, from = 0): boolean {
    const { found, unread } = this.#find(term, missing, from);
    return found + unread > 0;
  }

  /** Returns the number of doclists in the results of the kernel, and of the pages that `missing` has received. */
  #find(
    term: string,
    missing: Set<number>,
    from = 0,
  ): { readonly found: number; readonly unread: number } {
    const directory = this.#load();
    const keyLength = this.writeKey(term);
    if (keyLength === undefined) return NOT_FOUND;
    const { kernel, key, results, missing: missingAt, numbers } = this.#memory;
    if (from > 0) {
      // First, so that the kernel gets the whole directory again even if this call fails.
      this.#memory.directory = undefined;
      const { addresses: [segments, ...others], filterBytes } = directory;
      kernel.setDirectory(segments + SEGMENT_BYTES * from, ...others, filterBytes);
    }
    const found = requireIntact(
      kernel.findTerm(this.#segments.length - from, key, keyLength, results, missingAt),
    );
    const unread = kernel.missingPages();
    for (let n = 0, at = missingAt >> 2; n < unread; n++) missing.add(numbers[at++] as number);
    return { found, unread };
  }

  /** Writes the key of a term or prefix for the kernel. Returns its length, or undefined if no term is as long. */
  writeKey(term: string): number | undefined {
    const { bytes, key } = this.#memory;
    return term.length > MAX_KEY_CHARS
      ? this.#memory.writeKey(termKey(term))
      : writeTermKey(term, bytes, key);
  }

  /**
   * Returns the entries of each segment whose pages may have terms with a prefix: first, end, first, end, … Empty if no
   * segment has any.
   */
  entriesWithPrefix(prefix: string): Uint32Array {
    this.#load();
    const { kernel, key, results, numbers } = this.#memory;
    const length = this.writeKey(prefix);
    if (length === undefined) return NO_ENTRIES;
    // UTF-8 never ends in 0xff, so that the first key after all with the prefix has no carry.
    const end = key + length;
    this.#memory.bytes.copyWithin(end, key, end);
    (this.#memory.bytes[end + length - 1] as number)++;
    kernel.findRange(this.#segments.length, key, end, length, results);
    const from = results >> 2;
    const to = from + 2 * this.#segments.length;
    for (let at = from; at < to; at += 2) {
      if ((numbers[at] as number) < (numbers[at + 1] as number)) return numbers.slice(from, to);
    }
    return NO_ENTRIES;
  }

  /**
   * Returns the range of the entries of the segments that were added last. Undefined if the directory is not in memory.
   *
   * @param segments Number of these segments, at least 1.
   */
  lastEntries(segments: number): readonly [first: number, end: number] | undefined {
    const directory = this.#directory;
    if (!directory || this.#area.owner !== this) return undefined;
    const first = (directory.addresses[0] >> 2) + 2 * (directory.segments - segments);
    return [this.#memory.numbers[first] as number, directory.pageNumbers.length];
  }

  /** Whether filters rule out most terms that the index does not contain. */
  get hasFilters(): boolean {
    const { filterBytes, addresses: [, , , , shortFilters] } = this.#load();
    return filterBytes > 0 || shortFilters > 0;
  }

  /** Fills the short filters of some pages without keeping the pages. Returns false if there are no short filters. */
  fillShortFilters(entries: ReadonlySet<number>): boolean {
    const { addresses: [, , , , shortFilters] } = this.#load();
    if (shortFilters === 0) return false;
    const all = [...entries];
    for (let at = 0; at < all.length; at += MAX_PAGES) {
      const batch = all.slice(at, at + MAX_PAGES);
      for (const [index, { address, length }] of this.readNext(batch).entries()) {
        this.#fillShortFilter(shortFilters, batch[index] as number, address, length);
      }
    }
    return true;
  }

  #fillShortFilter(shortFilters: number, entry: number, address: number, length: number): void {
    const { kernel, results } = this.#memory;
    kernel.fillShortFilter(shortFilters + entry * SHORT_FILTER_BYTES, address, length, results);
  }

  /** Returns the page of an entry, if it is in memory. */
  page(entry: number): PageInMemory | undefined {
    const { addresses: [, , , pages] } = this.#load();
    const { numbers } = this.#memory;
    const frame = numbers[(pages >> 2) + entry] as number;
    return frame === 0 ? undefined : { address: frame + LENGTH_BYTES, length: numbers[frame >> 2] as number };
  }

  /** Reads pages, which remain in memory for later searches until others need the memory. */
  read(entries: ReadonlySet<number>): void {
    const all = [...entries];
    for (let at = 0; at < all.length; at += MAX_PAGES) {
      const batch = all.slice(at, at + MAX_PAGES);
      for (const [index, [, block]] of this.#readPages(batch).entries()) {
        this.#store(batch[index] as number, block ?? NO_BYTES);
      }
    }
  }

  /** Reads pages, which remain in memory until the next call. */
  readNext(entries: readonly number[]): PageInMemory[] {
    return this.#memory.stageNext(this.#readPages(entries).map(([, block]) => block));
  }

  #readPages(entries: readonly number[]): LeafPage[] {
    const { segmentOf, pageNumbers } = this.#load();
    const rowids = entries.map((entry) =>
      leafRowid((segmentOf[entry] as Segment).id, pageNumbers[entry] as number)
    );
    return readPages(this.#db, this.#table, rowids);
  }

  /** Copies a page into the ring, after its filter and its length. */
  #store(entry: number, page: Uint8Array): void {
    const { pagesStart, pagesEnd } = this.#area;
    const { addresses: [, , , pages, shortFilters], pageNumbers, filterBytes } = this.#load();
    const { bytes, numbers, kernel, results } = this.#memory;
    if (page.length > MAX_PAGE_BYTES) {
      throw new IndexDamagedError("A leaf page of the full-text index is too large");
    }
    const size = filterBytes + LENGTH_BYTES + page.length + ZERO_BYTES;
    if (this.#next + size > pagesEnd) {
      numbers.fill(0, pages >> 2, (pages >> 2) + pageNumbers.length);
      this.#next = pagesStart;
      this.#round++;
    }
    const frame = this.#next + filterBytes;
    const address = frame + LENGTH_BYTES;
    this.#next = Math.ceil((this.#next + size) / 4) * 4;
    numbers[frame >> 2] = page.length;
    bytes.set(page, address);
    bytes.fill(0, address + page.length, address + page.length + ZERO_BYTES);
    if (filterBytes > 0) kernel.fillFilter(frame - filterBytes, address, page.length, results);
    if (shortFilters > 0) this.#fillShortFilter(shortFilters, entry, address, page.length);
    numbers[(pages >> 2) + entry] = frame;
  }

  /** Reads the directory, unless it is in memory. */
  load(): void {
    this.#load();
  }

  /** Returns the directory, which the kernel then uses. */
  #load(): Directory {
    if (!this.#directory || this.#area.owner !== this) {
      this.#directory = this.#readDirectory();
      this.#area.owner = this;
      // The kernel may know the addresses of the one before.
      this.#memory.directory = undefined;
      this.#next = this.#area.pagesStart;
      this.#round++;
    }
    if (this.#memory.directory !== this) {
      const { addresses, filterBytes } = this.#directory;
      this.#memory.kernel.setDirectory(...addresses, filterBytes);
      this.#memory.directory = this;
    }
    return this.#directory;
  }

  #readDirectory(): Directory {
    const entries = this.#readEntries(this.#segments);
    const count = entries.pageNumbers.length;
    const maxSegments = this.#segments.length + SPARE_SEGMENTS;
    const maxEntries = count + SPARE_ENTRIES;
    const segments = this.#area.directoryStart;
    const offsets = segments + SEGMENT_BYTES * maxSegments;
    const pages = offsets + 4 * (maxEntries + 1);
    const end = pages + 4 * maxEntries;
    const keyBytes = entries.keyEnds.at(-1) ?? 0;
    // Keys of later segments may need as much space as those of the first ones.
    const hasSpace = end + SHORT_FILTER_BYTES * maxEntries + 2 * keyBytes <= this.#area.pagesStart;
    const hasShortFilters = count > MAX_FILTERED && hasSpace;
    const keys = hasShortFilters ? end + SHORT_FILTER_BYTES * maxEntries : end;
    const directory: Directory = {
      segmentOf: [],
      pageNumbers: [],
      segments: 0,
      keyBytes: 0,
      maxSegments,
      maxEntries,
      filterBytes: count > MAX_FILTERED ? 0 : FILTER_BYTES,
      addresses: [segments, offsets, keys, pages, hasShortFilters ? end : 0],
    };
    this.#memory.numbers[offsets >> 2] = 0;
    if (!this.#add(entries, directory)) {
      throw new RangeError(
        `Cannot search the index ${this.#table}: its directory must have at most ${
          this.#area.pagesStart - segments
        } bytes, got ${keys + keyBytes - segments}`,
      );
    }
    return directory;
  }

  #readEntries(segments: readonly Segment[]): Entries {
    // Rows are grouped in the order of the primary key, (segid, term).
    const rows = all<{ segment: number; pages: string; lengths: string; keys: Uint8Array | null }>(
      this.#db,
      `SELECT segid AS segment, json_group_array(pgno >> 1) AS pages,
              json_group_array(length(CAST(term AS BLOB))) AS lengths, CAST(group_concat(term, '') AS BLOB) AS keys
         FROM ${this.#table}_idx WHERE segid IN (SELECT value FROM json_each(?)) GROUP BY segid`,
      JSON.stringify(segments.map(({ id }) => id)),
    );
    const rowOf = new Map(rows.map((row) => [row.segment, row]));
    const entries: Entries = { segmentOf: [], pageNumbers: [], ends: [], keyEnds: [], keys: [] };
    const { segmentOf, pageNumbers, ends, keyEnds, keys } = entries;
    let keyBytes = 0;
    for (const segment of segments) {
      const row = rowOf.get(segment.id);
      const pages = JSON.parse(row?.pages ?? "[]") as number[];
      const lengths = JSON.parse(row?.lengths ?? "[]") as number[];
      // The first pages of a segment that is being merged are gone: terms up to the first one that remains would be there.
      let skipped = 0;
      let skippedBytes = 0;
      for (; skipped < pages.length && (pages[skipped] as number) <= segment.firstPage; skipped++) {
        skippedBytes += lengths[skipped] as number;
      }
      segmentOf.push(segment);
      pageNumbers.push(segment.firstPage);
      keyEnds.push(keyBytes);
      keys.push(row?.keys?.subarray(skippedBytes) ?? NO_BYTES);
      for (let at = skipped; at < pages.length; at++) {
        segmentOf.push(segment);
        pageNumbers.push(pages[at] as number);
        keyEnds.push(keyBytes += lengths[at] as number);
      }
      ends.push(pageNumbers.length);
    }
    return entries;
  }

  /** Writes entries behind those of a directory. Returns false if it has no capacity for them. */
  #add({ segmentOf, pageNumbers, ends, keyEnds, keys }: Entries, directory: Directory): boolean {
    const { addresses: [segments, offsets, keysAt, pages, shortFilters] } = directory;
    const { numbers, bytes } = this.#memory;
    const first = directory.pageNumbers.length;
    const firstKey = directory.keyBytes;
    const keyBytes = keyEnds.at(-1) ?? 0;
    const hasCapacity = directory.segments + ends.length <= directory.maxSegments &&
      first + pageNumbers.length <= directory.maxEntries &&
      keysAt + firstKey + keyBytes <= this.#area.pagesStart;
    if (!hasCapacity) return false;
    for (const [index, end] of ends.entries()) {
      const range = [first + (ends[index - 1] ?? 0), first + end];
      numbers.set(range, (segments >> 2) + 2 * (directory.segments + index));
    }
    numbers.set(keyEnds.map((end) => firstKey + end), (offsets >> 2) + first + 1);
    numbers.fill(0, (pages >> 2) + first, (pages >> 2) + first + pageNumbers.length);
    if (shortFilters > 0) {
      const start = shortFilters + SHORT_FILTER_BYTES * first;
      bytes.fill(0, start, start + SHORT_FILTER_BYTES * pageNumbers.length);
    }
    let next = keysAt + firstKey;
    for (const part of keys) {
      bytes.set(part, next);
      next += part.length;
    }
    for (const segment of segmentOf) directory.segmentOf.push(segment);
    for (const page of pageNumbers) directory.pageNumbers.push(page);
    directory.segments += ends.length;
    directory.keyBytes += keyBytes;
    return true;
  }
}

const NO_BYTES = new Uint8Array();
