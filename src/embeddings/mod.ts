/**
 * Client of an OpenAI-compatible embeddings API: adaptive batches, a query cache, and a circuit breaker for
 * queries.
 *
 * @module
 */
export type { Vectors } from "./bisect.ts";
export { Embedder, type EmbedderEffects, type QueryOptions } from "./embedder.ts";
export { EmbeddingError, type EmbeddingErrorCode, type EmbeddingErrorOptions } from "./errors.ts";
export { type EmbeddingIdentity, type EmbeddingOptions, identityOf } from "./options.ts";
export { reindexCommand } from "./reindex_command.ts";
