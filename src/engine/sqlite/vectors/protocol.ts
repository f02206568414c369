import type { EmbeddingIdentity } from "../../../embeddings/mod.ts";
import type { Bitset } from "../../../data_structures/mod.ts";

/** What the thread needs to know. */
export interface VectorSettings {
  /** Path of the data directory. Its database exists. */
  readonly dataDir: string;
  /** The set that is searched: the newest serving one of this identity. */
  readonly identity: EmbeddingIdentity;
  /** Most memory that vectors may take, in bytes; what is beyond it is read from the database by each search. */
  readonly memoryBytes: number;
}

/** One search. */
export interface VectorQuery {
  /** Of the set's dimensions; its length does not matter to the order. */
  readonly query: Float32Array;
  /** Most results, at least 1. */
  readonly top: number;
  /** Chunks that may be found. Unset: all. */
  readonly allowed?: Bitset;
}

/** What a search found. */
export interface Found {
  /** Ids of chunks, best first. */
  readonly ids: Uint32Array;
  /** The dot product of each with the query: the cosine, when both have length 1. */
  readonly scores: Float32Array;
  /** Vectors that there are. */
  readonly embedded: number;
  /** Vectors that were allowed, all of which were looked at. */
  readonly passing: number;
}

/** Memory that vectors take. */
export interface VectorMemory {
  /** In bytes. */
  readonly bytes: number;
  /** Vectors that are in it. */
  readonly vectors: number;
  /** Whether these are all; the others are read from the database by each search. */
  readonly complete: boolean;
}

/** To the thread. */
export type Request =
  | { readonly type: "open"; readonly settings: VectorSettings }
  | { readonly type: "search"; readonly id: number; readonly search: VectorQuery }
  | { readonly type: "close" };

/** From the thread. */
export type Reply =
  /** The thread listens; to be waited for before anything is sent. */
  | { readonly type: "ready" }
  /** The vectors are loaded. */
  | { readonly type: "opened"; readonly memory: VectorMemory }
  | { readonly type: "refused"; readonly message: string }
  | { readonly type: "found"; readonly id: number; readonly found: Found; readonly memory: VectorMemory }
  | { readonly type: "failed"; readonly id: number; readonly message: string }
  | { readonly type: "closed" };
