import type { EmbeddingIdentity } from "../engine/sqlite/store/embedding_sets.ts";
import type { EmbeddingOptions } from "./options.ts";

/** What the vectors of these settings are told apart by. The query's prefix is none of it: no vector of it is stored. */
export function identityOf({ model, documentPrefix, dimensions }: EmbeddingOptions): EmbeddingIdentity {
  return { model, documentPrefix, dimensions };
}
