import type { SerializedError } from "../../../async/mod.ts";
import type { EmbeddingErrorCode, EmbeddingOptions, Vectors } from "../../../embeddings/mod.ts";
import type { ChunkOptions } from "../../../extraction/mod.ts";
import type { Operation, Retention } from "../store/mod.ts";

/** A write operation with its arguments. */
export interface WriteCall {
  readonly operation: Operation;
  readonly args: readonly unknown[];
}

/** Result of a {@linkcode WriteCall}. An error is a `KnowledgeBaseError`. */
export type WriteResult = { readonly result: unknown } | { readonly error: SerializedError };

/** A model that became available after the start. */
export interface AvailableModel {
  readonly type: "model";
  readonly embeddings: EmbeddingOptions;
}

/** Texts for the main thread to embed; sent by the thread. */
export interface TextsToEmbed {
  readonly type: "embed";
  readonly id: number;
  readonly texts: readonly string[];
}

/** Vectors of {@linkcode TextsToEmbed}, or why there are none. */
export type EmbeddedTexts =
  & { readonly type: "embedded"; readonly id: number }
  & (
    | { readonly vectors: Vectors; readonly error?: undefined }
    | {
      readonly vectors?: undefined;
      readonly error: { readonly code: EmbeddingErrorCode; readonly message: string };
    }
  );

/** One group of calls, committed together, or news about the embedding model. */
export type WriterRequest = readonly WriteCall[] | AvailableModel | EmbeddedTexts;

/** Sent after the commit is on disk. */
export interface WriterResponse {
  /** One result for each call, in the same order. */
  readonly results: readonly WriteResult[];
  /** Ids of jobs that have ended, and of the containers of their files. */
  readonly endedJobs: readonly number[];
}

/** Settings of the store and the backfill. */
export interface WriterSettings {
  /** Path of the data directory. It exists and is locked by this process. */
  readonly dataDir: string;
  /** Chunk sizes for notes. */
  readonly chunk: ChunkOptions;
  /** Maximum number of queued jobs. */
  readonly maxQueuedJobs: number;
  /** Number of ended jobs to keep. @default {10_000} */
  readonly keptJobs?: number;
  /** How long former versions and deleted documents are kept. @default {DEFAULT_RETENTION} */
  readonly retention?: Retention;
  /** Embedding model. Unset: no vectors are made. */
  readonly embeddings?: EmbeddingOptions;
}

/** Settings of the writer thread. */
export interface WriterThreadSettings extends WriterSettings {
  /** Id of the vector set to fill. Unset: no embeddings, or the stored vectors are of another model. */
  readonly embeddingSet: number | undefined;
  /** Identity of the database that the engine has opened; see `OpenFile`. */
  readonly databaseIdentity?: string | undefined;
}

/** State of the backfill; sent by the thread when it changes. */
export interface EmbeddingState {
  /** Current error of the embedding model, or null. */
  readonly error: string | null;
  /** Cause of the error, for the log. Unset if the error already contains it. */
  readonly cause?: string;
  /** Name of the model that made the stored vectors, if it is another one. */
  readonly otherModel?: string;
}

/** A message that the thread sends by itself. */
export type WriterNotice = { readonly type: "state"; readonly state: EmbeddingState } | TextsToEmbed;
