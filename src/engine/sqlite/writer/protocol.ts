import type { EmbeddingOptions } from "../../../embeddings/mod.ts";
import type { ChunkOptions } from "../../../extraction/mod.ts";
import type { KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import type { Operation } from "../store/mod.ts";

/** A write operation with its arguments. */
export interface WriteCall {
  readonly operation: Operation;
  readonly args: readonly unknown[];
}

/** Result of a {@linkcode WriteCall}. */
export type WriteResult = { readonly result: unknown } | { readonly error: SerializedStoreError };

/** Fields of a {@linkcode KnowledgeBaseError}; structured cloning would drop its class. */
export interface SerializedStoreError {
  readonly code: KnowledgeBaseError["code"];
  readonly message: string;
  readonly cause?: string;
}

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
  /** Cause of the error, for the log. Unset if the error says it already. */
  readonly cause?: string;
}
