import type { DatabaseSync } from "node:sqlite";
import { addId, type Bitset, bitset } from "../../../data_structures/mod.ts";
import { first, newestRemoval, removalsAfter } from "../store/mod.ts";
import type { CorpusSize } from "./bm25.ts";
import { VarintReader } from "./varint.ts";

/** Chunks on one page of the table: a power of two. */
export const PAGE = 4096;
/** Chunks that are read at a time. */
const AT_ONCE = 20_000;
/** Lengths are kept in 16 bits; a chunk is never so long. */
const MAX_LENGTH = 0xffff;

/** What is known of the chunks of one page, by the lowest bits of their ids. */
interface Page {
  /** Words, title and headings included; 0: there is no such chunk. */
  readonly lengths: Uint16Array;
  readonly documents: Uint32Array;
}

/**
 * How long each chunk is and whose, in memory: 6 bytes a chunk. Pages, because ids are never used again: years of replaced
 * documents leave holes that should cost nothing.
 */
export class ChunkTable {
  readonly #db: DatabaseSync;
  #pages: Page[] = [];
  #lastId = 0;
  #lastRemoval = 0;
  #size: CorpusSize = { chunks: 0, averageLength: 1 };

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** How many chunks there are, and how long they are. */
  get size(): CorpusSize {
    return this.#size;
  }

  /** Takes notice of what has been written. Ids only grow, and a chunk never changes: it comes and goes. */
  refresh(): void {
    this.#size = readCorpusSize(this.#db);
    this.#takeOutRemoved();
    while (this.#readMore());
  }

  /** Words of a chunk, title and headings included; 0: there is no such chunk. */
  lengthOf(id: number): number {
    return this.lengthsOn(Math.floor(id / PAGE))[id % PAGE] as number;
  }

  /** The same for all chunks on a page of the table, by the rest of their ids: for loops over many. */
  lengthsOn(page: number): Uint16Array {
    return this.#pages[page]?.lengths ?? NO_LENGTHS;
  }

  /** The document that a chunk is of; 0: there is no such chunk. */
  documentOf(id: number): number {
    return this.#pages[Math.floor(id / PAGE)]?.documents[id % PAGE] ?? 0;
  }

  /** The chunks that pass. */
  bitset(passes: (chunk: number) => boolean): Bitset {
    const bits = bitset(this.#lastId);
    this.#pages.forEach(({ documents }, number) => {
      for (let at = 0; at < PAGE; at++) {
        const id = number * PAGE + at;
        if (documents[at] === 0 || !passes(id)) continue;
        addId(bits, id);
      }
    });
    return bits;
  }

  #takeOutRemoved(): void {
    if (this.#lastId === 0) {
      // What is read for the first time has none of them.
      this.#lastRemoval = newestRemoval(this.#db);
      return;
    }
    const { ids, newest } = removalsAfter(this.#db, this.#lastRemoval);
    this.#lastRemoval = newest;
    if (!ids) {
      this.#pages = [];
      this.#lastId = 0;
      return;
    }
    for (const id of ids) {
      const page = this.#pages[Math.floor(id / PAGE)];
      if (page) page.lengths[id % PAGE] = page.documents[id % PAGE] = 0;
    }
  }

  /** Reads chunks that are new; answers whether there may be more. */
  #readMore(): boolean {
    // One JSON text for all rows: a row for each would take ten times as long to cross over from SQLite.
    const row = first<{ ids: string; documents: string; sizes: string }>(
      this.#db,
      `SELECT json_group_array(id) AS ids, json_group_array(document_id) AS documents, json_group_array(hex(sz)) AS sizes
         FROM (SELECT c.id, c.document_id, s.sz FROM chunks c JOIN chunks_fts_docsize s ON s.id = c.id
                WHERE c.id > ? ORDER BY c.id LIMIT ${AT_ONCE})`,
      this.#lastId,
    );
    const ids = JSON.parse(row?.ids ?? "[]") as number[];
    const documents = JSON.parse(row?.documents ?? "[]") as number[];
    const sizes = JSON.parse(row?.sizes ?? "[]") as string[];
    for (const [index, id] of ids.entries()) {
      const page = this.#pages[Math.floor(id / PAGE)] ??= newPage();
      page.lengths[id % PAGE] = Math.min(Math.max(1, sum(varints(sizes[index] ?? ""))), MAX_LENGTH);
      page.documents[id % PAGE] = documents[index] ?? 0;
    }
    this.#lastId = ids.at(-1) ?? this.#lastId;
    return ids.length === AT_ONCE;
  }
}

const NO_LENGTHS = new Uint16Array(PAGE);

function newPage(): Page {
  return { lengths: new Uint16Array(PAGE), documents: new Uint32Array(PAGE) };
}

/** Reads the averages record of FTS5: how many rows, then how many words in each column. */
function readCorpusSize(db: DatabaseSync): CorpusSize {
  const row = first<{ record: string }>(db, "SELECT hex(block) AS record FROM chunks_fts_data WHERE id = 1");
  const [chunks = 0, ...words] = varints(row?.record ?? "");
  return { chunks, averageLength: chunks > 0 ? Math.max(1, sum(words) / chunks) : 1 };
}

function varints(hex: string): number[] {
  const numbers: number[] = [];
  for (const read = new VarintReader(Uint8Array.fromHex(hex)); !read.isDone;) numbers.push(read.next());
  return numbers;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
