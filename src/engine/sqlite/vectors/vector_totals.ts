import type { VectorSearch } from "../../search/mod.ts";

/** Numbers of chunks with a vector, and of those that get none. */
export interface VectorTotals {
  readonly embedded: number;
  readonly refused: number;
}

/** Returns the current totals. */
export function totalsOf(vectors: Pick<VectorSearch, "embedded" | "refused">): VectorTotals {
  return { embedded: vectors.embedded(), refused: vectors.refused() };
}
