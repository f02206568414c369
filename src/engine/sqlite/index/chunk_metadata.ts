import type { DatabaseSync } from "node:sqlite";
import { addId, type Bitset, bitset } from "../../../data_structures/mod.ts";
import {
  all,
  type ChunkColumns,
  COLUMN_CHUNKS,
  columnCoverage,
  deletionsAfter,
  first,
  MAX_LENGTH,
  readChunkSizes,
  readColumns,
  storedLength,
} from "../store/read_only.ts";
import type { CorpusStatistics } from "./bm25.ts";
import { AVERAGES_ROWID, decodeVarints } from "./fts5_format.ts";

/** Number of chunk ids per page of memory: a power of two. */
export const CHUNKS_PER_PAGE = COLUMN_CHUNKS;
/** Maximum number of chunks to read per statement. */
const BATCH_SIZE = 20_000;

/** Tests for {@linkcode ChunkMetadata.bitset}. An unset one passes all. */
export interface ChunkTests {
  readonly isDocumentAllowed?: ((document: number) => boolean) | undefined;
  readonly isAllowed?: ((chunk: number) => boolean) | undefined;
}

/** Values of the chunks on one page, indexed by the low bits of their ids. */
interface MetadataPage {
  /** Number of words, including title and headings; 0 if the chunk does not exist. */
  readonly lengths: Uint16Array;
  /** Number of words without title and headings. */
  readonly bodyLengths: Uint16Array;
  /** Ids of the documents; 0 if the chunk does not exist. */
  readonly documents: Uint32Array;
  /** Changes with the lengths. */
  revision: number;
}

/** Chunks of a text that is being written. */
interface StagedChunks {
  readonly ids: number[];
  readonly lengths: number[];
  readonly bodyLengths: number[];
}

/**
 * Lengths and document of every chunk, in memory: 8 bytes per chunk. Pages are allocated on demand, since ids
 * are never reused and years of replaced documents leave gaps. Chunks of hidden texts do not exist here.
 */
export class ChunkMetadata {
  readonly #db: DatabaseSync;
  #pages: MetadataPage[] = [];
  #lastId = 0;
  #lastDeletion = 0;
  #statistics: CorpusStatistics = { chunks: 0, averageLength: 1 };
  /** Documents of the texts in `contents`; 0 for a hidden one. */
  #documents: ReadonlyMap<number, number> = new Map();
  /** Chunks of texts that are being written, by the id of the text: they may become visible at once. */
  readonly #staged = new Map<number, StagedChunks>();
  #hasHidden = false;
  /** Number of changes of pages. Not per page: a page that is loaded again must not repeat a number. */
  #revisions = 0;
  #earlierChanges = 0;

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
    const contents = readContents(this.#db);
    const hidden = contents.reduce(
      (sum, each) => sum + (each.document_id === null ? each.chunk_count : 0),
      0,
    );
    const { chunks, averageLength } = readStatistics(this.#db);
    this.#statistics = { chunks: Math.max(0, chunks - hidden), averageLength };
    this.#hasHidden = hidden > 0;
    if (this.#lastId > 0) this.#applyDeletions();
    this.#applyContents(contents);
    if (this.#lastId === 0) this.#loadColumns();
    while (this.#readBatch());
  }

  /** Whether the index has chunks of hidden texts. */
  get hasHidden(): boolean {
    return this.#hasHidden;
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

  /** Number of pages, including those without chunks. */
  get pageCount(): number {
    return this.#pages.length;
  }

  /** Returns a number that changes with the lengths on a page; 0 for a page without chunks. */
  revisionOf(page: number): number {
    return this.#pages[page]?.revision ?? 0;
  }

  /** Changes when chunks are removed, or become visible later than others that were added after them. */
  get earlierChanges(): number {
    return this.#earlierChanges;
  }

  /** Returns the document of a chunk; 0 if the chunk does not exist. */
  documentOf(id: number): number {
    return this.#pages[Math.floor(id / CHUNKS_PER_PAGE)]?.documents[id % CHUNKS_PER_PAGE] ?? 0;
  }

  /** Returns the set of chunks that pass the tests. Tests a document once for its adjacent chunks. */
  bitset({ isDocumentAllowed = () => true, isAllowed }: ChunkTests = {}): Bitset {
    const bits = bitset(this.#lastId);
    let last = 0;
    let isLastAllowed = false;
    this.#pages.forEach(({ documents }, number) => {
      for (let at = 0; at < CHUNKS_PER_PAGE; at++) {
        const document = documents[at] as number;
        if (document === 0) continue;
        if (document !== last) {
          last = document;
          isLastAllowed = isDocumentAllowed(document);
        }
        const id = number * CHUNKS_PER_PAGE + at;
        if (isLastAllowed && (!isAllowed || isAllowed(id))) addId(bits, id);
      }
    });
    return bits;
  }

  /** Reads the chunks up to the last one in the columns. */
  #loadColumns(): void {
    const { lastChunk, lastDeletion: covered } = columnCoverage(this.#db);
    const { ids: deleted, last } = deletionsAfter(this.#db, covered);
    this.#lastDeletion = last;
    // Without the log, chunks of the columns may be deleted: reads the rows of all chunks.
    const pages = deleted && readColumns(this.#db, lastChunk);
    if (!pages) return;
    for (const columns of pages) this.#addColumns(columns);
    for (const id of deleted) this.#remove(id);
    this.#lastId = lastChunk;
  }

  #addColumns({ page: number, lengths, bodyLengths, contents }: ChunkColumns): void {
    const page = this.#pageOf(number * CHUNKS_PER_PAGE);
    page.revision = ++this.#revisions;
    if (this.#documents.size === 0) {
      page.lengths.set(lengths);
      page.bodyLengths.set(bodyLengths);
      page.documents.set(contents);
      return;
    }
    for (const [at, content] of contents.entries()) {
      if (content !== 0) {
        this.#addOrStage(number * CHUNKS_PER_PAGE + at, content, lengths[at] ?? 0, bodyLengths[at] ?? 0);
      }
    }
  }

  #applyDeletions(): void {
    const { ids, last } = deletionsAfter(this.#db, this.#lastDeletion);
    this.#lastDeletion = last;
    if (!ids) {
      // Entries of the deletion log were pruned: reload everything.
      this.#pages = [];
      this.#staged.clear();
      this.#lastId = 0;
      this.#earlierChanges++;
      return;
    }
    for (const id of ids) this.#remove(id);
  }

  #remove(id: number): void {
    const page = this.#pages[Math.floor(id / CHUNKS_PER_PAGE)];
    if (!page) return;
    const at = id % CHUNKS_PER_PAGE;
    page.lengths[at] = page.bodyLengths[at] = page.documents[at] = 0;
    page.revision = ++this.#revisions;
    this.#earlierChanges++;
  }

  /** Adds the chunks of texts that were completed since the last call, and removes those of hidden ones. */
  #applyContents(contents: readonly ContentRow[]): void {
    const before = this.#documents;
    this.#documents = new Map(contents.map(({ id, document_id }) => [id, document_id ?? 0]));
    for (const [content, { ids, lengths, bodyLengths }] of this.#staged) {
      const row = contents.find(({ id }) => id === content);
      if (row?.is_staged) continue;
      this.#staged.delete(content);
      const document = row?.document_id ?? 0;
      if (document === 0) continue;
      ids.forEach((id, index) => this.#add(id, document, lengths[index] ?? 0, bodyLengths[index] ?? 0));
    }
    for (const { id, document_id, chunk_count } of contents) {
      if (document_id !== null || chunk_count === 0 || before.get(id) === 0 || this.#lastId === 0) continue;
      for (const chunk of chunksOfContent(this.#db, id)) this.#remove(chunk);
    }
  }

  #add(id: number, document: number, length: number, bodyLength: number): void {
    const page = this.#pageOf(id);
    page.lengths[id % CHUNKS_PER_PAGE] = storedLength(length);
    page.bodyLengths[id % CHUNKS_PER_PAGE] = Math.min(bodyLength, MAX_LENGTH);
    page.documents[id % CHUNKS_PER_PAGE] = document;
    page.revision = ++this.#revisions;
    if (id <= this.#lastId) this.#earlierChanges++;
  }

  #pageOf(id: number): MetadataPage {
    return this.#pages[Math.floor(id / CHUNKS_PER_PAGE)] ??= newMetadataPage();
  }

  /** Reads new chunks, and returns whether there may be more. */
  #readBatch(): boolean {
    const { ids, contents, lengths, bodyLengths } = readChunkSizes(this.#db, {
      after: this.#lastId,
      limit: BATCH_SIZE,
    });
    for (const [index, id] of ids.entries()) {
      this.#addOrStage(id, contents[index] ?? 0, lengths[index] ?? 0, bodyLengths[index] ?? 0);
    }
    this.#lastId = ids.at(-1) ?? this.#lastId;
    return ids.length === BATCH_SIZE;
  }

  #addOrStage(id: number, content: number, length: number, bodyLength: number): void {
    const document = this.#documents.get(content) ?? content;
    if (document > 0) return this.#add(id, document, length, bodyLength);
    const staged = this.#staged.getOrInsertComputed(
      content,
      () => ({ ids: [], lengths: [], bodyLengths: [] }),
    );
    staged.ids.push(id);
    staged.lengths.push(length);
    staged.bodyLengths.push(bodyLength);
  }
}

interface ContentRow {
  id: number;
  document_id: number | null;
  is_staged: number;
  chunk_count: number;
}

/** Returns the texts that are written or removed in several transactions, of which most stores have none. */
function readContents(db: DatabaseSync): ContentRow[] {
  return all(db, "SELECT id, document_id, is_staged, chunk_count FROM contents");
}

function chunksOfContent(db: DatabaseSync, content: number): number[] {
  const row = first<{ ids: string }>(
    db,
    "SELECT json_group_array(id) AS ids FROM chunks WHERE document_id = ?",
    content,
  );
  return JSON.parse(row?.ids ?? "[]") as number[];
}

const NO_LENGTHS = new Uint16Array(CHUNKS_PER_PAGE);

function newMetadataPage(): MetadataPage {
  return {
    lengths: new Uint16Array(CHUNKS_PER_PAGE),
    bodyLengths: new Uint16Array(CHUNKS_PER_PAGE),
    documents: new Uint32Array(CHUNKS_PER_PAGE),
    revision: 0,
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
