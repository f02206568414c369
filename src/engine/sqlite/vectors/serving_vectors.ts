import type { DatabaseSync } from "node:sqlite";
import { all, first, newestRemoval, removalsAfter, servingSet } from "../store/mod.ts";
import { type Bitset, hasId, type Ranked, TopK } from "../../../data_structures/mod.ts";
import { dot } from "./dot.ts";
import { Matrix, MAX_DIMENSIONS } from "./matrix.ts";
import type { EmbeddingIdentity } from "../../../embeddings/mod.ts";
import type { NearestChunks, VectorMemory } from "./protocol.ts";

/** Vectors that one statement reads. */
const SLICE = 1024;

/** Candidates beyond twice the wanted number that a scan keeps: nearly always enough to prove that no other is among the best. */
const SPARE = 64;

/** Candidates beyond the wanted ones whose exact scores are looked at, at most; what comes after them is not proven to be less. */
const MAX_SPARE = 1024;

/** Candidates that are read at a time once the wanted number is there. */
const SPARE_STEP = 128;

/** The set in use; without dimensions it has no vector yet. */
interface ServingSet {
  readonly id: number;
  readonly dimensions: number | null;
}

interface VectorRow {
  readonly seq: number;
  readonly chunk_id: number;
  readonly vector: Uint8Array<ArrayBuffer>;
}

interface BlobRow {
  readonly seq: number;
  readonly chunk_id: number;
  readonly bytes: number;
}

/**
 * The vectors of the set that serves, searched exactly: in memory as far as the limit allows, and what is beyond it from the
 * database.
 */
export class ServingVectors {
  readonly #db: DatabaseSync;
  readonly #identity: EmbeddingIdentity;
  readonly #maxBytes: number;
  #set: ServingSet | undefined;
  #matrix: Matrix | undefined;
  /** What `PRAGMA data_version` said when everything was last up to date. */
  #version: number | undefined;
  /** The last vector that is in memory, or was looked at to be. */
  #lastVector = 0;
  /** The last entry of `removed_chunks` that was followed. */
  #lastRemoval = 0;
  /** Whether the set has vectors after the last one, for which there was no room. */
  #hasMore = false;

  /** @param maxBytes Most memory that vectors may take. */
  constructor(db: DatabaseSync, identity: EmbeddingIdentity, maxBytes: number) {
    this.#db = db;
    this.#identity = identity;
    this.#maxBytes = maxBytes;
  }

  /** Memory in use. */
  get memory(): VectorMemory {
    return { bytes: this.#matrix?.bytes ?? 0, vectors: this.#matrix?.size ?? 0, complete: !this.#hasMore };
  }

  /** Takes over what has been written since the last time. */
  refresh(): void {
    // Before everything else is read: what is written meanwhile is for the next time.
    const version = first<{ data_version: number }>(this.#db, "PRAGMA data_version")?.data_version;
    if (version === this.#version) return;
    this.#version = undefined;
    const set = this.#servingSet();
    if (set?.id !== this.#set?.id || set?.dimensions !== this.#set?.dimensions || !this.#followRemovals()) {
      this.#startOver(set);
    }
    this.#load();
    this.#version = version;
  }

  /**
   * The vectors with the largest dot products with the query, exactly.
   *
   * @throws {RangeError} When the query is not of the set's dimensions.
   */
  search(query: Float32Array, top: number, allowed: Bitset | undefined): NearestChunks {
    this.refresh();
    const matrix = this.#matrix;
    if (!matrix) return { ids: new Uint32Array(), scores: new Float32Array(), embedded: 0, passing: 0 };
    if (query.length !== matrix.dimensions) {
      throw new RangeError(
        `The query's vector must have the ${matrix.dimensions} dimensions of the stored ones, got ${query.length}`,
      );
    }
    const best = new TopK(top);
    // First, since it takes out of memory what has a newer vector there.
    const beyond = this.#hasMore ? this.#searchBeyond(query, allowed, best) : { embedded: 0, passing: 0 };
    const passing = this.#searchMatrix(matrix, query, allowed, top, best);
    const { ids, scores } = best.ranked();
    return {
      ids,
      scores: Float32Array.from(scores),
      embedded: matrix.size + beyond.embedded,
      passing: passing + beyond.passing,
    };
  }

  #servingSet(): ServingSet | undefined {
    const { dimensions, ...identity } = this.#identity;
    const set = servingSet(this.#db, { ...identity, dimensions });
    if ((set?.dimensions ?? 0) > MAX_DIMENSIONS) {
      throw new RangeError(`Vectors must have at most ${MAX_DIMENSIONS} dimensions, got ${set?.dimensions}`);
    }
    return set;
  }

  /** Takes out the chunks that are gone; false: some of those entries are gone themselves. */
  #followRemovals(): boolean {
    const { ids, newest } = removalsAfter(this.#db, this.#lastRemoval);
    if (!ids) return false;
    for (const id of ids) this.#matrix?.delete(id);
    this.#lastRemoval = newest;
    return true;
  }

  #startOver(set: ServingSet | undefined): void {
    this.#lastRemoval = newestRemoval(this.#db);
    this.#lastVector = 0;
    this.#hasMore = false;
    this.#set = set;
    if (set?.dimensions && set.dimensions === this.#matrix?.dimensions) this.#matrix.clear();
    else this.#matrix = set?.dimensions ? new Matrix(set.dimensions, this.#maxBytes) : undefined;
  }

  #load(): void {
    const matrix = this.#matrix;
    if (!matrix) return;
    let rows: VectorRow[];
    do {
      rows = this.#slice<VectorRow>("seq, chunk_id, vector", this.#lastVector, matrix.hasRoom ? SLICE : 1);
      for (const { seq, chunk_id, vector } of rows) {
        if (!this.#isVector(vector.byteLength)) matrix.delete(chunk_id);
        else if (!matrix.put(chunk_id, floats(vector))) {
          this.#hasMore = true;
          return;
        }
        this.#lastVector = seq;
      }
    } while (rows.length > 0);
    this.#hasMore = false;
  }

  /** Looks at the vectors that are not in memory, in order of arrival. */
  #searchBeyond(query: Float32Array, allowed: Bitset | undefined, best: TopK) {
    let embedded = 0;
    let passing = 0;
    let last = this.#lastVector;
    while (true) {
      const rows = this.#slice<BlobRow>("seq, chunk_id, length(vector) AS bytes", last, SLICE);
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
      this.#score(query, ids, best);
    }
  }

  /** Rows of the set in order of arrival. */
  #slice<Row extends VectorRow | BlobRow>(
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

  /** Whether a blob of this length is a vector of the set. That of a text which the model refused is empty. */
  #isVector(bytes: number): boolean {
    return bytes === (this.#set?.dimensions ?? 0) * Float32Array.BYTES_PER_ELEMENT;
  }

  /** Looks at the vectors in memory: for as many candidates as it takes to prove the best ones, or as are looked at at most. */
  #searchMatrix(
    matrix: Matrix,
    query: Float32Array,
    allowed: Bitset | undefined,
    top: number,
    best: TopK,
  ): number {
    const most = top + MAX_SPARE;
    let looked = 0;
    for (let capacity = Math.min(most, 2 * top + SPARE);; capacity = most) {
      const candidates = new TopK(capacity);
      const passing = matrix.scan(query, allowed, candidates);
      const ranked = candidates.ranked();
      // A second scan finds those of the first again, in the same order.
      looked = this.#rescore(query, ranked, looked, top, best);
      if (capacity === most || looked < capacity) return passing;
    }
  }

  /**
   * Offers the exact scores of candidates until none that is left can be among the best.
   *
   * @param from How many have been offered before.
   * @returns How many are offered now.
   */
  #rescore(
    query: Float32Array,
    { ids, scores: bounds }: Ranked,
    from: number,
    top: number,
    best: TopK,
  ): number {
    while (from < ids.length && bounds[from]! >= best.threshold) {
      let to = Math.min(ids.length, from + (from === 0 ? top : SPARE_STEP));
      while (bounds[to - 1]! < best.threshold) to--;
      this.#score(query, [...ids.subarray(from, to)], best);
      from = to;
    }
    return from;
  }

  #score(query: Float32Array, ids: readonly number[], best: TopK): void {
    if (ids.length === 0) return;
    const rows = all<Omit<VectorRow, "seq">>(
      this.#db,
      `SELECT v.chunk_id, v.vector FROM json_each(?) wanted
        CROSS JOIN chunk_vectors v ON v.chunk_id = wanted.value AND v.set_id = ?`,
      JSON.stringify(ids),
      this.#set?.id ?? 0,
    );
    for (const { chunk_id, vector } of rows) best.offer(chunk_id, dot(query, floats(vector)));
  }
}

/** A stored vector; float32 numbers can only be read in place where they are aligned. */
function floats(blob: Uint8Array<ArrayBuffer>): Float32Array {
  const { buffer, byteOffset, byteLength } = blob.byteOffset % 4 === 0 ? blob : blob.slice();
  return new Float32Array(buffer, byteOffset, byteLength / 4);
}
