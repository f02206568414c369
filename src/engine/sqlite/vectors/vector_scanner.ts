import type { DatabaseSync } from "node:sqlite";
import { type Bitset, hasId, type Ranked, TopK } from "../../../data_structures/mod.ts";
import type { EmbeddingIdentity } from "../../../embeddings/mod.ts";
import {
  all,
  dataVersion,
  decodeVector,
  deletionsAfter,
  first,
  isVectorSize,
  lastDeletion,
  PAGE_VECTORS,
  pagesMean,
  servingSet,
  vectorPages,
} from "../store/read_only.ts";
import { scoreVectors } from "./score_vectors.ts";
import type { NearestChunks, ScoredIds, VectorMemory, VectorQuery } from "./protocol.ts";
import { PagedVectors } from "./paged_vectors.ts";
import { MAX_DIMENSIONS, QuantizedMatrix } from "./quantized_matrix.ts";
import { SPREAD_SAMPLE, spreadOf } from "./spread.ts";

/** Number of vectors that one statement reads. */
const BATCH_SIZE = 1024;

/** Candidates of the first scan beyond `2 * top`. Nearly always enough to prove the result exact. */
const EXTRA_CANDIDATES = 64;

/** Candidates of the second scan beyond `top`. If these do not suffice, the result may be inexact. */
const MAX_EXTRA_CANDIDATES = 1024;

/** Number of candidates rescored at a time after the first `top`. */
const RESCORE_BATCH = 128;

/** Maximum number of vectors after the last page of codes with which the pages are used. More are being packed. */
const MAX_TAIL = 16_384;

/** Share of the memory for codes, if there are any. The rest is for vectors without codes. */
const CODES_SHARE = 0.9;

/** The set in use. It has no dimensions until its first vector is stored. */
interface ServingSet {
  readonly id: number;
  readonly dimensions: number | null;
}

interface VectorRow {
  readonly seq: number;
  readonly chunk_id: number;
  readonly vector: Uint8Array<ArrayBuffer>;
}

interface VectorSizeRow {
  readonly seq: number;
  readonly chunk_id: number;
  readonly bytes: number;
}

const SIZE_COLUMNS = "seq, chunk_id, length(vector) AS bytes";

/**
 * Searches all vectors of the serving set. Scans quantized vectors in memory first, and rescores the best
 * candidates with the stored vectors. Vectors beyond the memory limit are read from the database by each
 * search. Those of a large set have codes, which {@linkcode PagedVectors} searches; the others are the last ones.
 */
export class VectorScanner {
  readonly #db: DatabaseSync;
  readonly #identity: EmbeddingIdentity;
  readonly #maxBytes: number;
  #set: ServingSet | undefined;
  #matrix: QuantizedMatrix | undefined;
  /** Vectors with codes. */
  #paged: PagedVectors | undefined;
  /** `PRAGMA data_version` of the last complete refresh. */
  #dataVersion: number | undefined;
  /** Sequence number of the last vector that was loaded. */
  #lastVector = 0;
  /** Sequence number of the last deletion that was applied. */
  #lastDeletion = 0;
  /** Whether the set has later vectors, which do not fit into memory. */
  #hasOverflow = false;
  /** Spread of the vectors, measured when there were so many. */
  #spread: { readonly value: number | undefined; readonly vectors: number } | undefined;

  /** @param maxBytes Maximum memory for vectors. */
  constructor(db: DatabaseSync, identity: EmbeddingIdentity, maxBytes: number) {
    this.#db = db;
    this.#identity = identity;
    this.#maxBytes = maxBytes;
  }

  /** Memory in use. */
  get memory(): VectorMemory {
    return {
      bytes: (this.#matrix?.bytes ?? 0) + (this.#paged?.bytes ?? 0),
      vectors: (this.#matrix?.size ?? 0) + (this.#paged?.size ?? 0),
      complete: !this.#hasOverflow && (this.#paged?.isComplete ?? true),
    };
  }

  /** Loads the changes committed since the last refresh. */
  refresh(): void {
    // Read first, so that the next refresh includes changes committed during this one.
    const version = dataVersion(this.#db);
    if (version === this.#dataVersion) return;
    // Stays unset if this refresh throws.
    this.#dataVersion = undefined;
    // One state of the database: a page replaces vectors.
    this.#db.exec("BEGIN");
    try {
      const set = this.#readServingSet();
      const isOther = set?.id !== this.#set?.id || set?.dimensions !== this.#set?.dimensions;
      if (isOther || this.#hasNewCodes() || !this.#applyDeletions()) this.#reset(set);
      this.#loadPages();
      this.#loadVectors();
    } finally {
      this.#db.exec("COMMIT");
    }
    this.#dataVersion = version;
  }

  /**
   * Returns the vectors with the largest dot products with the query.
   *
   * @throws {RangeError} When the query does not have the dimensions of the set.
   */
  search({ query, top, allowed }: VectorQuery): NearestChunks {
    this.refresh();
    const matrix = this.#matrix;
    const setId = this.#set?.id ?? 0;
    if (!matrix) return { ...NO_CHUNKS, setId, spread: undefined, embedded: 0, passing: 0 };
    if (query.length !== matrix.dimensions) {
      throw new RangeError(
        `The query vector must have ${matrix.dimensions} dimensions, like the stored vectors, got ${query.length}`,
      );
    }
    const results = new TopK(top);
    // The overflow first: it removes outdated vectors from the matrix.
    const overflow = this.#hasOverflow
      ? this.#searchOverflow(query, allowed, results)
      : { embedded: 0, passing: 0 };
    // Its results leave few vectors of the matrix to be rescored.
    const ofPages = this.#paged?.search(query, allowed, top, results) ?? 0;
    const passing = this.#searchMatrix(matrix, query, allowed, top, results) + ofPages;
    const embedded = matrix.size + (this.#paged?.size ?? 0) + overflow.embedded;
    const { ids, scores } = results.ranked();
    return {
      ids,
      scores: Float32Array.from(scores),
      setId,
      spread: this.#measureSpread(embedded),
      embedded,
      passing: passing + overflow.passing,
    };
  }

  /**
   * Caches a part of the stored vectors, in a few milliseconds, after the changes of the last search.
   *
   * @returns Whether to continue.
   */
  cacheNext(): boolean {
    return this.#paged?.cacheNext() ?? false;
  }

  /**
   * Measures the spread on a sample, again whenever the number of vectors has doubled: the scores of the pages
   * of a search must not differ.
   */
  #measureSpread(vectors: number): number | undefined {
    if (!this.#spread || vectors >= 2 * this.#spread.vectors) {
      this.#spread = { value: spreadOf(this.sample()), vectors };
    }
    return this.#spread.value;
  }

  /**
   * Reads the vectors of chunks at even intervals, since adjacent ones are often of the same document. By chunks, since
   * the order in which they were embedded differs: the scores of equal stores would, too.
   */
  sample(): Float32Array[] {
    const setId = this.#set?.id ?? 0;
    const { first: from = 0, last = 0 } = first<{ first: number; last: number }>(
      this.#db,
      // Two statements: SQLite finds a minimum or a maximum by the index, but not both at once. `+` keeps it from the
      // index of sets, of which it would read every entry.
      `SELECT (SELECT min(chunk_id) FROM chunk_vectors WHERE +set_id = ?1) AS first,
              (SELECT max(chunk_id) FROM chunk_vectors WHERE +set_id = ?1) AS last`,
      setId,
    ) ?? {};
    const sampled = new Map<number, Float32Array>();
    for (let i = 0; i < SPREAD_SAMPLE; i++) {
      const row = first<Omit<VectorRow, "seq">>(
        this.#db,
        `SELECT chunk_id, vector FROM chunk_vectors WHERE +set_id = ? AND chunk_id >= ?
          ORDER BY chunk_id LIMIT 1`,
        setId,
        from + Math.floor((i * (last - from + 1)) / SPREAD_SAMPLE),
      );
      if (row && this.#isVector(row.vector.byteLength)) {
        sampled.set(row.chunk_id, decodeVector(row.vector, this.#dimensions));
      }
    }
    return [...sampled.values()];
  }

  #readServingSet(): ServingSet | undefined {
    const set = servingSet(this.#db, this.#identity);
    if ((set?.dimensions ?? 0) > MAX_DIMENSIONS) {
      throw new RangeError(`Vectors must have at most ${MAX_DIMENSIONS} dimensions, got ${set?.dimensions}`);
    }
    return set;
  }

  /** Removes the vectors of deleted chunks. Returns false if entries of the deletion log were pruned. */
  #applyDeletions(): boolean {
    const { ids, last } = deletionsAfter(this.#db, this.#lastDeletion);
    if (!ids) return false;
    for (const id of ids) {
      this.#matrix?.delete(id);
      this.#paged?.delete(id);
    }
    this.#lastDeletion = last;
    return true;
  }

  #reset(set: ServingSet | undefined): void {
    this.#lastDeletion = lastDeletion(this.#db);
    this.#lastVector = 0;
    this.#hasOverflow = false;
    this.#set = set;
    this.#spread = undefined;
    const hadCodes = this.#paged !== undefined;
    this.#paged = this.#createPaged();
    if (!hadCodes && !this.#paged && set?.dimensions && set.dimensions === this.#matrix?.dimensions) {
      return this.#matrix.clear();
    }
    const bytes = this.#paged ? (1 - CODES_SHARE) * this.#maxBytes : this.#maxBytes;
    this.#matrix = set?.dimensions ? new QuantizedMatrix(set.dimensions, bytes) : undefined;
  }

  /** Whether codes of nearly all vectors have become available. */
  #hasNewCodes(): boolean {
    return !this.#paged && this.#matrix !== undefined && this.#hasCodes();
  }

  #hasCodes(): boolean {
    const set = this.#set?.id ?? 0;
    const last = vectorPages(this.#db, set).at(-1)?.last_seq;
    return last !== undefined &&
      this.#readVectors<VectorSizeRow>(SIZE_COLUMNS, last + MAX_TAIL, 1).length === 0;
  }

  #createPaged(): PagedVectors | undefined {
    const { id, dimensions } = this.#set ?? {};
    const mean = id !== undefined && this.#hasCodes() ? pagesMean(this.#db, id) : undefined;
    if (id === undefined || !dimensions || mean?.length !== dimensions) return undefined;
    return new PagedVectors(this.#db, { id, dimensions, mean }, CODES_SHARE * this.#maxBytes);
  }

  /** Loads new pages of codes. Their vectors are no longer needed in the matrix. */
  #loadPages(): void {
    const paged = this.#paged;
    if (!paged) return;
    const damaged = paged.refresh((chunkId) => this.#matrix?.delete(chunkId));
    for (const [after, last] of damaged) this.#loadDamaged(after, last);
    this.#lastVector = Math.max(this.#lastVector, paged.lastSeq);
  }

  /** Loads the vectors of a damaged page, as far as they fit, until the writer has replaced it. */
  #loadDamaged(after: number, last: number): void {
    const rows = this.#readVectors<VectorRow>("seq, chunk_id, vector", after, PAGE_VECTORS);
    for (const { seq, chunk_id, vector } of rows) {
      if (seq > last || !this.#isVector(vector.byteLength)) continue;
      this.#matrix?.set(chunk_id, decodeVector(vector, this.#dimensions));
    }
  }

  #loadVectors(): void {
    const matrix = this.#matrix;
    if (!matrix) return;
    let rows: VectorRow[];
    do {
      // A full matrix needs one row to detect overflow.
      const limit = matrix.isFull ? 1 : BATCH_SIZE;
      rows = this.#readVectors<VectorRow>("seq, chunk_id, vector", this.#lastVector, limit);
      for (const { seq, chunk_id, vector } of rows) {
        if (!this.#isVector(vector.byteLength)) matrix.delete(chunk_id);
        else if (!matrix.set(chunk_id, decodeVector(vector, matrix.dimensions))) {
          this.#hasOverflow = true;
          return;
        }
        this.#lastVector = seq;
      }
    } while (rows.length > 0);
    this.#hasOverflow = false;
  }

  /** Searches the vectors that do not fit into memory. */
  #searchOverflow(query: Float32Array, allowed: Bitset | undefined, results: TopK) {
    let embedded = 0;
    let passing = 0;
    let last = this.#lastVector;
    while (true) {
      const rows = this.#readVectors<VectorSizeRow>(SIZE_COLUMNS, last, BATCH_SIZE);
      if (rows.length === 0) return { embedded, passing };
      last = rows.at(-1)!.seq;
      const ids: number[] = [];
      for (const { chunk_id, bytes } of rows) {
        this.#matrix?.delete(chunk_id);
        if (!this.#isVector(bytes)) continue;
        embedded++;
        if (!allowed || hasId(allowed, chunk_id)) ids.push(chunk_id);
      }
      passing += ids.length;
      this.#score(query, ids, results);
    }
  }

  /** Reads vectors of the set in insertion order. */
  #readVectors<Row extends VectorRow | VectorSizeRow>(
    columns: Row extends VectorRow ? "seq, chunk_id, vector" : typeof SIZE_COLUMNS,
    after: number,
    limit: number,
  ): Row[] {
    return all<Row>(
      this.#db,
      `SELECT ${columns} FROM chunk_vectors WHERE set_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
      this.#set?.id ?? 0,
      after,
      limit,
    );
  }

  /**
   * Whether a blob of this size is a vector of the set. The blob of a text that the model rejected is empty.
   */
  #isVector(bytes: number): boolean {
    return isVectorSize(bytes, this.#dimensions);
  }

  /** Dimensions of the set; 0 while unknown. */
  get #dimensions(): number {
    return this.#set?.dimensions ?? 0;
  }

  /**
   * Searches the vectors in memory. Scans again with more candidates if the first ones do not prove the
   * result exact.
   *
   * @returns Number of vectors that `allowed` includes.
   */
  #searchMatrix(
    matrix: QuantizedMatrix,
    query: Float32Array,
    allowed: Bitset | undefined,
    top: number,
    results: TopK,
  ): number {
    const maxCapacity = top + MAX_EXTRA_CANDIDATES;
    // Of the results so far: vectors with codes.
    const { threshold } = results;
    let rescored = 0;
    for (let capacity = Math.min(maxCapacity, 2 * top + EXTRA_CANDIDATES);; capacity = maxCapacity) {
      const candidates = new TopK(capacity);
      const passing = matrix.scan(query, allowed, candidates, threshold);
      // A second scan starts with the same candidates in the same order, so `rescored` remains valid.
      rescored = this.#rescore(query, candidates.ranked(), rescored, top, results);
      if (capacity === maxCapacity || rescored < capacity) return passing;
    }
  }

  /**
   * Offers the exact scores of candidates until the bounds of all others are below the results.
   *
   * @param from Number of candidates already rescored.
   * @returns Number of candidates rescored so far.
   */
  #rescore(
    query: Float32Array,
    { ids, scores: bounds }: Ranked,
    from: number,
    top: number,
    results: TopK,
  ): number {
    while (from < ids.length && bounds[from]! >= results.threshold) {
      let to = Math.min(ids.length, from + (from === 0 ? top : RESCORE_BATCH));
      while (bounds[to - 1]! < results.threshold) to--;
      this.#score(query, [...ids.subarray(from, to)], results);
      from = to;
    }
    return from;
  }

  /** Offers the exact scores of chunks. */
  #score(query: Float32Array, ids: readonly number[], results: TopK): void {
    const wanted = { chunks: ids, setId: this.#set?.id ?? 0 };
    scoreVectors(this.#db, query, wanted, (id, score) => results.offer(id, score));
  }
}

const NO_CHUNKS: ScoredIds = { ids: new Uint32Array(), scores: new Float32Array() };
