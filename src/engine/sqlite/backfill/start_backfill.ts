import type { DatabaseSync } from "node:sqlite";
import { servingSet } from "../store/mod.ts";
import { Backfill } from "./backfill.ts";
import { Embedder, type EmbeddingOptions, identityOf, reindexCommand } from "../../../embeddings/mod.ts";

/** Settings of {@linkcode startBackfill}. */
export interface EngineBackfillOptions {
  /** The writing connection. */
  readonly db: DatabaseSync;
  /** Id of the set that the engine claimed. */
  readonly setId: number;
  readonly dataDir: string;
  readonly embeddings: EmbeddingOptions;
  /** Called when the embedding model starts to fail, and when it works again. */
  readonly onEmbedding: (state: { error: string | null; cause?: string }) => void;
}

/** Starts the backfill of an engine. It must be woken for chunks that are added later. */
export function startBackfill(
  { db, setId, dataDir, embeddings, onEmbedding }: EngineBackfillOptions,
): Backfill {
  const identity = identityOf(embeddings);
  const backfill = new Backfill({
    db,
    // kb-mcp reindex may complete a newer set of the same model.
    currentSet: () => servingSet(db, identity)?.id ?? setId,
    embedder: new Embedder(embeddings),
    concurrency: embeddings.concurrency,
    command: reindexCommand(dataDir, embeddings),
    onProblem: (error, cause) => onEmbedding({ error, ...(cause === undefined ? {} : { cause }) }),
  });
  backfill.wake();
  return backfill;
}
