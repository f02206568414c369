import type { DatabaseSync } from "node:sqlite";
import { type EmbeddingOptions, identityOf, reindexCommand } from "../../../embeddings/mod.ts";
import { claimEmbeddingSet, inTransaction, timestamp } from "../store/mod.ts";

/**
 * Claims the set of vectors that an engine with this model serves and fills.
 *
 * @returns Id of the set.
 * @throws {OtherModelError} When the stored vectors were made with another model.
 */
export function claimSet(db: DatabaseSync, dataDir: string, embeddings: EmbeddingOptions): number {
  const command = reindexCommand(dataDir, embeddings);
  const claim = { command, now: timestamp() };
  return inTransaction(db, () => claimEmbeddingSet(db, identityOf(embeddings), claim));
}
