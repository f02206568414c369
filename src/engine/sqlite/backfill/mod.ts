/**
 * Embeds stored chunks: new ones in the background, all of them with `kb-mcp reindex`.
 *
 * @module
 */
export { Backfill } from "./backfill.ts";
export { reindex, type ReindexOptions } from "./reindex.ts";
export { type EngineBackfill, type EngineBackfillOptions, startBackfill } from "./start_backfill.ts";
