import type { DatabaseSync } from "node:sqlite";
import { addId, type Bitset, bitset } from "../../../data_structures/mod.ts";
import { deletionsAfter, first, lastDeletion } from "../store/mod.ts";
import type { CorpusStatistics } from "./bm25.ts";
import { AVERAGES_ROWID, decodeVarints } from "./fts5_format.ts";

/** Number of chunk ids per page of memory: a power of two. */
export const CHUNKS_PER_PAGE = 4096;
/** Maximum number of chunks to read per statement. */
const BATCH_SIZE = 20_000;
/** Maximum length that fits 16 bits; longer chunks count as this long. */
const MAX_LENGTH = 0xffff;

/** Values of the chunks on one page, indexed by the low bits of their ids. */
interface MetadataPage {
  /** Number of words, including title and headings; 0 if the chunk does not exist. */
  readonly lengths: Uint16Array;
  /** Number of words without title and headings. */
  readonly bodyLengths: Uint16Array;
  /** Ids of the documents; 0 if the chunk does not exist. */
  readonly documents: Uint32Array;
}

/**
 * Lengths and document of every chunk, in memory: 8 bytes per chunk. Pages are allocated on demand, since ids
 * are never reused and years of replaced documents leave gaps.
 */
export class ChunkMetadata {
  readonly #db: DatabaseSync;
  #pages: MetadataPage[] = [];
  #lastId = 0;
  #lastDeletion = 0;
  #statistics: CorpusStatistics = { chunks: 0, averageLength: 1 };

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Number of chunks and their mean length. */
  get statistics(): CorpusStatistics {
    return this.#statistics;
  }

  /**
   * Reads chunks that were added or removed since the last call. Ids only grow, and a chunk never changes.
   */
  refresh(): void {
    this.#statistics = readStatistics(this.#db);
    this.#applyDeletions();
    while (this.#readBatch());
  }

  /** Returns the number of words of a chunk, including title and headings; 0 if it does not exist. */
  lengthOf(id: number): number {
    return this.lengthsOn(Math.floor(id / CHUNKS_PER_PAGE))[id % CHUNKS_PER_PAGE] as number;
  }

  /** Returns the number of words of a chunk without title and headings; 0 if it does not exist. */
  bodyLengthOf(id: number): number {
    return this.#pages[Math.floor(id / CHUNKS_PER_PAGE)]?.bodyLengths[id % CHUNKS_PER_PAGE] ?? 0;
  }

  /** Returns the lengths of all chunks on a page, for loops over many chunks. */
  lengthsOn(page: number): Uint16Array {
    return this.#pages[page]?.lengths ?? NO_LENGTHS;
  }

  /** Returns the document of a chunk; 0 if the chunk does not exist. */
  documentOf(id: number): number {
    return this.#pages[Math.floor(id / CHUNKS_PER_PAGE)]?.documents[id % CHUNKS_PER_PAGE] ?? 0;
  }

  /** Returns the set of chunks for which `isAllowed` is true. */
  bitset(isAllowed: (chunk: number) => boolean): Bitset {
    const bits = bitset(this.#lastId);
    this.#pages.forEach(({ documents }, number) => {
      for (let at = 0; at < CHUNKS_PER_PAGE; at++) {
        const id = number * CHUNKS_PER_PAGE + at;
        if (documents[at] === 0 || !isAllowed(id)) continue;
        addId(bits, id);
      }
    });
    return bits;
  }

  #applyDeletions(): void {
    if (this.#lastId === 0) {
      // The first load has no deleted chunks.
      this.#lastDeletion = lastDeletion(this.#db);
      return;
    }
    const { ids, last } = deletionsAfter(this.#db, this.#lastDeletion);
    this.#lastDeletion = last;
    if (!ids) {
      // Entries of the deletion log were pruned: reload everything.
      this.#pages = [];
      this.#lastId = 0;
      return;
    }
    for (const id of ids) {
      const page = this.#pages[Math.floor(id / CHUNKS_PER_PAGE)];
      if (page) page.lengths[id % CHUNKS_PER_PAGE] = page.documents[id % CHUNKS_PER_PAGE] = 0;
    }
  }

  /** Reads new chunks, and returns whether there may be more. */
  #readBatch(): boolean {
    // One JSON text per column: passing a row object per chunk from SQLite takes ten times as long.
    const row = first<{ ids: string; documents: string; sizes: string }>(
      this.#db,
      `SELECT json_group_array(id) AS ids, json_group_array(document_id) AS documents, json_group_array(hex(sz)) AS sizes
         FROM (SELECT c.id, c.document_id, s.sz FROM chunks c JOIN chunks_fts_docsize s ON s.id = c.id
                WHERE c.id > ? ORDER BY c.id LIMIT ${BATCH_SIZE})`,
      this.#lastId,
    );
    const ids = JSON.parse(row?.ids ?? "[]") as number[];
    const documents = JSON.parse(row?.documents ?? "[]") as number[];
    const sizes = JSON.parse(row?.sizes ?? "[]") as string[];
    for (const [index, id] of ids.entries()) {
      const page = this.#pages[Math.floor(id / CHUNKS_PER_PAGE)] ??= newMetadataPage();
      const words = decodeVarints(Uint8Array.fromHex(sizes[index] ?? ""));
      const length = sum(words);
      page.lengths[id % CHUNKS_PER_PAGE] = Math.min(Math.max(1, length), MAX_LENGTH);
      page.bodyLengths[id % CHUNKS_PER_PAGE] = Math.min(words.at(-1) ?? 0, MAX_LENGTH);
      page.documents[id % CHUNKS_PER_PAGE] = documents[index] ?? 0;
    }
    this.#lastId = ids.at(-1) ?? this.#lastId;
    return ids.length === BATCH_SIZE;
  }
}

const NO_LENGTHS = new Uint16Array(CHUNKS_PER_PAGE);

function newMetadataPage(): MetadataPage {
  return {
    lengths: new Uint16Array(CHUNKS_PER_PAGE),
    bodyLengths: new Uint16Array(CHUNKS_PER_PAGE),
    documents: new Uint32Array(CHUNKS_PER_PAGE),
  };
}

function readStatistics(db: DatabaseSync): CorpusStatistics {
  const row = first<{ record: Uint8Array }>(
    db,
    "SELECT block AS record FROM chunks_fts_data WHERE id = ?",
    AVERAGES_ROWID,
  );
  const [chunks = 0, ...words] = row ? decodeVarints(row.record) : [];
  return { chunks, averageLength: chunks > 0 ? Math.max(1, sum(words) / chunks) : 1 };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
