import type { DatabaseSync } from "node:sqlite";
import { type Bitset, hasId, type Ranked, TopK } from "../../../data_structures/mod.ts";
import type { EmbeddingIdentity } from "../../../embeddings/mod.ts";
import { all, deletionsAfter, first, lastDeletion, servingSet } from "../store/mod.ts";
import type { NearestChunks, ScoredIds, VectorMemory, VectorQuery } from "./protocol.ts";
import { MAX_DIMENSIONS, QuantizedMatrix } from "./quantized_matrix.ts";
import { dotProduct, SPREAD_SAMPLE, spreadOf } from "./spread.ts";

/** Number of vectors that one statement reads. */
const BATCH_SIZE = 1024;

/** Candidates of the first scan beyond `2 * top`. Nearly always enough to prove the result exact. */
const EXTRA_CANDIDATES = 64;

/** Candidates of the second scan beyond `top`. If these do not suffice, the result may be inexact. */
const MAX_EXTRA_CANDIDATES = 1024;

/** Number of candidates rescored at a time after the first `top`. */
const RESCORE_BATCH = 128;

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

/**
 * Searches all vectors of the serving set. Scans quantized vectors in memory first, and rescores the best
 * candidates with the stored vectors. Vectors beyond the memory limit are read from the database by each
 * search.
 */
export class VectorScanner {
  readonly #db: DatabaseSync;
  readonly #identity: EmbeddingIdentity;
  readonly #maxBytes: number;
  #set: ServingSet | undefined;
  #matrix: QuantizedMatrix | undefined;
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
      bytes: this.#matrix?.bytes ?? 0,
      vectors: this.#matrix?.size ?? 0,
      complete: !this.#hasOverflow,
    };
  }

  /** Loads the changes committed since the last refresh. */
  refresh(): void {
    // Read first, so that the next refresh includes changes committed during this one.
    const version = first<{ data_version: number }>(this.#db, "PRAGMA data_version")?.data_version;
    if (version === this.#dataVersion) return;
    // Stays unset if this refresh throws.
    this.#dataVersion = undefined;
    const set = this.#readServingSet();
    if (set?.id !== this.#set?.id || set?.dimensions !== this.#set?.dimensions || !this.#applyDeletions()) {
      this.#reset(set);
    }
    this.#loadVectors();
    this.#dataVersion = version;
  }

  /**
   * Returns the vectors with the largest dot products with the query.
   *
   * @throws {RangeError} When the query does not have the dimensions of the set.
   */
  search({ query, top, allowed, others = [] }: VectorQuery): NearestChunks {
    this.refresh();
    const matrix = this.#matrix;
    if (!matrix) return { ...NO_CHUNKS, others: NO_CHUNKS, spread: undefined, embedded: 0, passing: 0 };
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
    const passing = this.#searchMatrix(matrix, query, allowed, top, results);
    const nearest = toScoredIds(results);
    return {
      ...nearest,
      others: this.#scoreOthers(query, others, nearest),
      spread: this.#measureSpread(matrix.size + overflow.embedded),
      embedded: matrix.size + overflow.embedded,
      passing: passing + overflow.passing,
    };
  }

  /**
   * Measures the spread on a sample, again whenever the number of vectors has doubled: the scores of the pages
   * of a search must not differ.
   */
  #measureSpread(vectors: number): number | undefined {
    if (!this.#spread || vectors >= 2 * this.#spread.vectors) {
      this.#spread = { value: spreadOf(this.#sample()), vectors };
    }
    return this.#spread.value;
  }

  /** Reads vectors at even intervals, since adjacent ones are often of the same document. */
  #sample(): Float32Array[] {
    const { first: from = 0, last = 0 } = first<{ first: number; last: number }>(
      this.#db,
      "SELECT min(seq) AS first, max(seq) AS last FROM chunk_vectors WHERE set_id = ?",
      this.#set?.id ?? 0,
    ) ?? {};
    const sampled = new Map<number, Float32Array>();
    for (let i = 0; i < SPREAD_SAMPLE; i++) {
      const after = from - 1 + Math.floor((i * (last - from + 1)) / SPREAD_SAMPLE);
      const [row] = this.#readVectors<VectorRow>("seq, chunk_id, vector", after, 1);
      if (row && this.#isVector(row.vector.byteLength)) sampled.set(row.seq, toFloats(row.vector));
    }
    return [...sampled.values()];
  }

  #scoreOthers(query: Float32Array, others: readonly number[], { ids }: ScoredIds): ScoredIds {
    const nearest = new Set(ids);
    const remaining = others.filter((id) => !nearest.has(id));
    if (remaining.length === 0) return NO_CHUNKS;
    const results = new TopK(remaining.length);
    this.#score(query, remaining, results);
    return toScoredIds(results);
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
    for (const id of ids) this.#matrix?.delete(id);
    this.#lastDeletion = last;
    return true;
  }

  #reset(set: ServingSet | undefined): void {
    this.#lastDeletion = lastDeletion(this.#db);
    this.#lastVector = 0;
    this.#hasOverflow = false;
    this.#set = set;
    this.#spread = undefined;
    if (set?.dimensions && set.dimensions === this.#matrix?.dimensions) this.#matrix.clear();
    else this.#matrix = set?.dimensions ? new QuantizedMatrix(set.dimensions, this.#maxBytes) : undefined;
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
        else if (!matrix.set(chunk_id, toFloats(vector))) {
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
      const columns = "seq, chunk_id, length(vector) AS bytes";
      const rows = this.#readVectors<VectorSizeRow>(columns, last, BATCH_SIZE);
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
    columns: Row extends VectorRow ? "seq, chunk_id, vector" : "seq, chunk_id, length(vector) AS bytes",
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
    return bytes === (this.#set?.dimensions ?? 0) * Float32Array.BYTES_PER_ELEMENT;
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
    let rescored = 0;
    for (let capacity = Math.min(maxCapacity, 2 * top + EXTRA_CANDIDATES);; capacity = maxCapacity) {
      const candidates = new TopK(capacity);
      const passing = matrix.scan(query, allowed, candidates);
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
    if (ids.length === 0) return;
    const rows = all<Omit<VectorRow, "seq">>(
      this.#db,
      `SELECT v.chunk_id, v.vector FROM json_each(?) wanted
        CROSS JOIN chunk_vectors v ON v.chunk_id = wanted.value AND v.set_id = ?`,
      JSON.stringify(ids),
      this.#set?.id ?? 0,
    );
    for (const { chunk_id, vector } of rows) results.offer(chunk_id, dotProduct(query, toFloats(vector)));
  }
}

const NO_CHUNKS: ScoredIds = { ids: new Uint32Array(), scores: new Float32Array() };

function toScoredIds(results: TopK): ScoredIds {
  const { ids, scores } = results.ranked();
  return { ids, scores: Float32Array.from(scores) };
}

/** Returns the numbers of a stored vector, without a copy if the blob is aligned. */
function toFloats(blob: Uint8Array<ArrayBuffer>): Float32Array {
  const { buffer, byteOffset, byteLength } = blob.byteOffset % 4 === 0 ? blob : blob.slice();
  return new Float32Array(buffer, byteOffset, byteLength / 4);
}
