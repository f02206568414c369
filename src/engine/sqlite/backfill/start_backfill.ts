import type { DatabaseSync } from "node:sqlite";
import { servingSet } from "../store/mod.ts";
import { Backfill } from "./backfill.ts";
import { Embedder, type EmbeddingOptions, identityOf, reindexCommand } from "../../../embeddings/mod.ts";

/** What an engine's vectors are made with. */
export interface EngineBackfill {
  /** The connection that writes. */
  readonly db: DatabaseSync;
  /** The set that was claimed for it. */
  readonly setId: number;
  readonly dataDir: string;
  readonly embeddings: EmbeddingOptions;
  /** Told when the model begins to fail, and when it works again. */
  readonly onEmbedding: (state: { error: string | null; cause?: string }) => void;
}

/** Begins to give every chunk of an engine its vector. What comes later, it has to be woken for. */
export function startBackfill({ db, setId, dataDir, embeddings, onEmbedding }: EngineBackfill): Backfill {
  const identity = identityOf(embeddings);
  const backfill = new Backfill({
    db,
    // Newer vectors of the same model, made by kb-mcp reindex meanwhile, are served at once.
    set: () => servingSet(db, identity)?.id ?? setId,
    embedder: new Embedder(embeddings),
    concurrency: embeddings.concurrency,
    command: reindexCommand(dataDir, embeddings),
    onProblem: (error, cause) => onEmbedding({ error, ...(cause === undefined ? {} : { cause }) }),
  });
  backfill.wake();
  return backfill;
}
