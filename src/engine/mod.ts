/**
 * The embedded engine: a knowledge base behind the engine's HTTP contract, in this process.
 *
 * @module
 */
export {
  EmbeddingError,
  type EmbeddingErrorCode,
  type EmbeddingOptions,
  reindex,
  type ReindexOptions,
} from "../embeddings/mod.ts";
export { Engine, type EngineOptions } from "./engine.ts";
export { DataDirError } from "./sqlite/store/mod.ts";
export type { ChunkOptions } from "../extraction/types.ts";
