import type { Scored } from "./select.ts";

/** Search by meaning: what the vectors of chunks are asked through. */
export interface VectorSearch {
  /**
   * Starts on a query.
   *
   * @returns A function that ranks chunks by their vectors; undefined and why: no vectors can be had now.
   */
  embed(query: string, signal?: AbortSignal): Promise<VectorRanker | { readonly warning: string }>;
  /** Chunks that have a vector. */
  embedded(): number;
}

/** Ranks chunks by one query's vector. */
export type VectorRanker = (
  top: number,
  allowed: Uint8Array | undefined,
) => Promise<{ readonly hits: readonly Scored[]; readonly passing: number } | { readonly warning: string }>;
