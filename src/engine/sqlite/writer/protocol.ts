import type { SerializedError } from "../../../async/mod.ts";
import type { EmbeddingOptions } from "../../../embeddings/mod.ts";
import type { ChunkOptions } from "../../../extraction/mod.ts";
import type { Operation } from "../store/mod.ts";

/** A write operation with its arguments. */
export interface WriteCall {
  readonly operation: Operation;
  readonly args: readonly unknown[];
}

/** Result of a {@linkcode WriteCall}. An error is a `KnowledgeBaseError`. */
export type WriteResult = { readonly result: unknown } | { readonly error: SerializedError };

/** One group of calls, committed together. */
export type WriterRequest = readonly WriteCall[];

/** One result for each call, in the same order. Sent after the commit is on disk. */
export type WriterResponse = readonly WriteResult[];

/** Settings of the store and the backfill. */
export interface WriterSettings {
  /** Path of the data directory. It exists and is locked by this process. */
  readonly dataDir: string;
  /** Chunk sizes for notes. */
  readonly chunk: ChunkOptions;
  /** Maximum number of queued jobs. */
  readonly maxQueuedJobs: number;
  /** Embedding model. Unset: no vectors are made. */
  readonly embeddings?: EmbeddingOptions;
}

/** Settings of the writer thread. */
export interface WriterThreadSettings extends WriterSettings {
  /** Id of the vector set to fill. Unset: no embeddings. */
  readonly embeddingSet: number | undefined;
}

/** State of the backfill; sent by the thread when it changes. */
export interface EmbeddingState {
  /** Current error of the embedding model, or null. */
  readonly error: string | null;
  /** Cause of the error, for the log. Unset if the error already contains it. */
  readonly cause?: string;
}
