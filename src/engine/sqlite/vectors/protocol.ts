import type { Bitset } from "../../../data_structures/mod.ts";
import type { EmbeddingIdentity } from "../../../embeddings/mod.ts";
import type { SharedRankingTarget } from "../../search/mod.ts";
import type { VectorTotals } from "./vector_totals.ts";

/** Settings of the vector thread. */
export interface VectorSettings {
  /** Path of the data directory. Its database exists. */
  readonly dataDir: string;
  /** Selects the newest serving set of this identity. */
  readonly identity: EmbeddingIdentity;
  /** Maximum memory for vectors, in bytes. Each search reads the remaining vectors from the database. */
  readonly memoryBytes: number;
}

/** Where a thread waits for a ranking: the memory of a `SharedRanking`. */
export interface SharedTarget extends SharedRankingTarget {
  /** Totals to pass with the ranking. */
  readonly totals: VectorTotals;
}

/** A nearest-neighbor search. */
export interface VectorQuery {
  /** Must have the dimensions of the set. Its length does not affect the ranking. */
  readonly query: Float32Array;
  /** Maximum number of results, at least 1. */
  readonly top: number;
  /** Ids of the chunks to search. Unset: all. */
  readonly allowed?: Bitset;
  /** Where a thread waits for the result, in addition to the caller. */
  readonly shared?: SharedTarget;
}

/** Chunks with their scores. */
export interface ScoredIds {
  readonly ids: Uint32Array;
  /** Dot product of each with the query: the cosine, if both vectors have length 1. */
  readonly scores: Float32Array;
}

/** Result of a {@linkcode VectorQuery}: the nearest chunks, nearest first. */
export interface NearestChunks extends ScoredIds {
  /** Id of the set; 0 if there is none. */
  readonly setId: number;
  /** Standard deviation of the dot products of stored vectors. Undefined: too few vectors. */
  readonly spread: number | undefined;
  /** Number of vectors in the set. */
  readonly embedded: number;
  /** Number of vectors that `allowed` includes; every one was scanned. */
  readonly passing: number;
}

/** Memory used by vectors; sent by the thread after it opens, and with each search that changed it. */
export interface VectorMemory {
  readonly bytes: number;
  /** Number of vectors in memory. */
  readonly vectors: number;
  /** Whether all vectors are in memory. */
  readonly complete: boolean;
}
