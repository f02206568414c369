import type { EmbeddingOptions } from "./options.ts";

/** Identifies a compatible set of vectors: only vectors of the same identity can be compared. */
export interface EmbeddingIdentity {
  /** Name of the embedding model. */
  readonly model: string;
  /** Prefix of each document's text. */
  readonly documentPrefix: string;
  /** Configured dimensions. Unset: the model's default. */
  readonly dimensions?: number | undefined;
}

/** The identity of the vectors that a configuration produces. The query prefix is not part of it. */
export function identityOf({ model, documentPrefix, dimensions }: EmbeddingOptions): EmbeddingIdentity {
  return { model, documentPrefix, dimensions };
}
