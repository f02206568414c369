/**
 * Vectors of texts, from any OpenAI-compatible endpoint: asked for, stored for every chunk, made anew for another model.
 *
 * @module
 */
export { Embedder, type EmbedderEffects, type QueryOptions } from "./embedder.ts";
export { EmbeddingError, type EmbeddingErrorCode } from "./errors.ts";
export type { EmbeddingOptions } from "./options.ts";
export { reindex, type ReindexOptions } from "../engine/sqlite/backfill/reindex.ts";
export { reindexCommand } from "./reindex_command.ts";
