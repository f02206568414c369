import type { EmbeddingOptions } from "../../../embeddings/mod.ts";
import type { ChunkOptions } from "../../../extraction/mod.ts";
import type { KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import type { Operation } from "../store/mod.ts";

/** One write, as it crosses to the writer's thread. */
export interface Call {
  readonly id: number;
  readonly op: Operation;
  readonly args: readonly unknown[];
}

/** How one write ended. Errors cross as their fields, since the class does not survive structured cloning. */
export type Answer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: PlainError };

/** A KnowledgeBaseError's fields, and what caused it, for the log. */
export interface PlainError {
  readonly code: KnowledgeBaseError["code"];
  readonly message: string;
  readonly cause?: string;
}

/** What the writer's thread needs to know. */
export interface WriterSettings {
  /** Path of the data directory, which exists and is locked by this process. */
  readonly dataDir: string;
  /** Sizes of the chunks of notes. */
  readonly chunk: ChunkOptions;
  /** Jobs that may wait. */
  readonly maxQueuedJobs: number;
  /** Where vectors come from. Unset: none are made. */
  readonly embeddings?: EmbeddingOptions;
}

/** How the making of vectors goes. */
export interface EmbeddingState {
  /** Why the embedding model cannot be used at the moment; null: nothing is known against it. */
  readonly error: string | null;
  /** What is behind it, for the log; only where the error itself does not say. */
  readonly cause?: string;
}

/** To the writer's thread. */
export type Request =
  | {
    readonly type: "open";
    readonly settings: WriterSettings;
    /** The set of vectors to fill, where there are embeddings. */
    readonly embeddingSet: number | undefined;
  }
  /** At most one batch at a time: the next one goes when this one is answered. */
  | { readonly type: "batch"; readonly calls: readonly Call[] }
  | { readonly type: "close" };

/** From the writer's thread. */
export type Reply =
  /** The thread listens; to be waited for before anything is sent. */
  | { readonly type: "ready" }
  | { readonly type: "opened" }
  | { readonly type: "refused"; readonly message: string; readonly cause?: string }
  /** The answers to all calls of the batch; sent after the commit is on disk. */
  | { readonly type: "answers"; readonly answers: readonly Answer[] }
  | { readonly type: "embedding"; readonly state: EmbeddingState }
  | { readonly type: "closed" };
