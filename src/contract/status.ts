import * as z from "zod";

/** How many of each, by name. */
const Counts = z.record(z.string(), z.int().nonnegative());

/** Answer of `GET /api/v1/status`. An engine from elsewhere may leave parts out and add its own. */
export const EngineStatus = z.looseObject({
  /** Version of the contract that the engine speaks, `3.x.y`. */
  version: z.string(),
  /** The embedding model, or null: full text only. */
  model: z.unknown().optional(),
  /** How far the chunks' vectors are; null: no embedding model. */
  vectors: z.looseObject({
    dimensions: z.int().positive().nullish(),
    /** Chunks that have their vector. */
    embedded: z.int().nonnegative(),
    /** Chunks in all. */
    total: z.int().nonnegative(),
    /** Chunks that the model refused; they are found by their words. */
    refused: z.int().nonnegative().optional(),
    /** Memory that vectors take, in bytes. */
    memory_bytes: z.int().nonnegative().optional(),
    /** Why the embedding model cannot be used at the moment; null: it can. */
    error: z.string().nullish(),
  }).nullish(),
  /** What the engine computes on. */
  device: z.unknown().optional(),
  documents: z.looseObject({ total: z.int().nonnegative(), by_type: Counts, by_collection: Counts })
    .optional(),
  chunks: z.int().nonnegative().optional(),
  tags: z.int().nonnegative().optional(),
  /** Jobs by status, and the most that may wait. */
  queue: z.looseObject({}).optional(),
  /** Bytes on disk. */
  storage: z.looseObject({}).optional(),
});
/** Inferred from {@linkcode EngineStatus}. */
export type EngineStatus = z.infer<typeof EngineStatus>;
