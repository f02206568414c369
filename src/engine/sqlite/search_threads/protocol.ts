import type { SerializedError } from "../../../async/mod.ts";
import type { VectorRanking, VectorRankingRequest, VectorsUnavailable } from "../../search/mod.ts";
import type { VectorTotals } from "../vectors/mod.ts";
import type { ReadOperation } from "./reads.ts";

/** Maximum number of reads in one thread: one runs, and the others wait for vectors. */
export const MAX_READS = 8;

/** Settings of a search thread. */
export interface SearchThreadSettings {
  /** Path of the data directory. */
  readonly dataDir: string;
  /** Whether the thread prepares for searches when it starts. */
  readonly warmsUp: boolean;
  /** One number per slot; another than 0 ends the read in this slot. In shared memory. */
  readonly ended: Int32Array;
  /** Memory per slot in which the thread waits for a ranking, until it should receive messages. */
  readonly rankings: readonly SharedArrayBuffer[];
}

/** Vectors of a search that the main thread has begun to rank, or whose query it has begun to embed. */
export interface EarlyVectors {
  /** Text that is embedded. */
  readonly text: string;
  /** A ranking of all chunks. Undefined: the search has filters. */
  readonly ranking?: {
    /** Id of the {@linkcode VectorReply}; negative, since the thread does not ask. */
    readonly id: number;
    /** Number of hits. */
    readonly limit: number;
  };
}

/** A read for a search thread. */
export interface ReadRequest {
  /** Index from 0 to {@linkcode MAX_READS} − 1, unique among the reads of the thread. */
  readonly slot: number;
  readonly operation: ReadOperation;
  readonly input: unknown;
  /** Null without an embedding model. */
  readonly vectors: VectorTotals | null;
  readonly early?: EarlyVectors | undefined;
  /** Id of the HTTP request. */
  readonly requestId?: string | undefined;
  /** Trace context of the caller. */
  readonly traceparent?: string | undefined;
}

/** What a search asks the main thread for, which has the embedding model. */
export type VectorQuestion =
  | { readonly type: "embedNote"; readonly text: string }
  /** Ranks by the vector of the note, or of the query, that was sent before. */
  | { readonly type: "rank"; readonly request: Omit<VectorRankingRequest, "others" | "shared"> };

/** Notice of a search thread. */
export type VectorNotice =
  | { readonly slot: number; readonly id: number; readonly question: VectorQuestion }
  /** Begins to embed a query, unless it was begun early. */
  | { readonly slot: number; readonly query: string }
  /** Has ranked by words, and can run another read until the ranking by vectors arrives. */
  | { readonly slot: number; readonly isWaiting: true };

/** A ranking in a form that takes little time to copy. */
export interface PackedRanking extends Pick<VectorRanking, "spread" | "total" | "query"> {
  readonly ids: Uint32Array;
  readonly scores: Float64Array;
}

/** Result of a {@linkcode VectorQuestion}; `"ready"`: the note is embedded. */
export type VectorResult = "ready" | "none" | PackedRanking | VectorsUnavailable;

/** Result of a question, and the totals, which change while it waits for recent vectors. */
export interface VectorReplied {
  readonly result: VectorResult;
  readonly totals: VectorTotals;
}

/** Notice to a search thread: the result of a question. */
export type VectorReply =
  & { readonly id: number }
  & (VectorReplied | { readonly error: SerializedError });
