import type { DatabaseSync } from "node:sqlite";
import { isImporting, servingSet } from "../store/mod.ts";
import { Backfill } from "./backfill.ts";
import {
  type EmbeddingModel,
  type EmbeddingOptions,
  identityOf,
  reindexCommand,
} from "../../../embeddings/mod.ts";

/** Settings of {@linkcode startBackfill}. */
export interface EngineBackfillOptions {
  /** The writing connection. */
  readonly db: DatabaseSync;
  /** Id of the set that the engine claimed. Undefined: the stored vectors are of another model. */
  readonly setId: number | undefined;
  readonly dataDir: string;
  readonly embeddings: EmbeddingOptions;
  /** Called when the embedding model starts to fail, and when it works again. */
  readonly onEmbedding: (state: { error: string | null; cause?: string }) => void;
  /** Called after each stored batch. */
  readonly onStored: () => void;
  /** The model with these settings; disposed with the backfill. */
  readonly model: Omit<EmbeddingModel, "embedQuery">;
}

/** The backfill of an engine. */
export interface EngineBackfill extends AsyncDisposable {
  /** To be called when chunks may have been added. */
  wake(): void;
}

/** Starts the backfill of an engine. It must be woken for chunks that are added later. */
export function startBackfill(
  { db, setId, dataDir, embeddings, model, onEmbedding, onStored }: EngineBackfillOptions,
): EngineBackfill {
  const identity = identityOf(embeddings);
  const backfill = new Backfill({
    db,
    // kb-mcp reindex may complete a newer set of the same model.
    currentSet: () => servingSet(db, identity)?.id ?? setId,
    model,
    // A model behind an API does not compete with the import for this machine's processors.
    ...(embeddings.type === "builtin" ? { isImporting: () => isImporting(db) } : {}),
    command: reindexCommand(dataDir, embeddings),
    onStored,
    onProblem: (error, cause) => onEmbedding({ error, ...(cause === undefined ? {} : { cause }) }),
  });
  backfill.wake();
  return {
    wake: () => backfill.wake(),
    async [Symbol.asyncDispose]() {
      backfill[Symbol.dispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}
