/**
 * Client of an OpenAI-compatible embeddings API: batches, retries, caches, and a circuit breaker for queries.
 *
 * @module
 */
export { Embedder, type EmbedderEffects, type QueryOptions } from "./embedder.ts";
export { EmbeddingError, type EmbeddingErrorCode } from "./errors.ts";
export { type EmbeddingIdentity, identityOf } from "./identity.ts";
export type { EmbeddingOptions } from "./options.ts";
export { reindexCommand } from "./reindex_command.ts";
