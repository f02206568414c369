/**
 * Vectors of stored chunks: made in the background for new chunks, and all of them by `kb-mcp reindex`.
 *
 * @module
 */
export { Backfill } from "./backfill.ts";
export { reindex, type ReindexOptions } from "./reindex.ts";
export { type EngineBackfill, startBackfill } from "./start_backfill.ts";
