/**
 * Embedding models: one that runs in threads of this process, and clients of OpenAI-compatible APIs.
 *
 * @module
 */
export { ApiModel, type ApiModelEffects } from "./api_model.ts";
export { BuiltinModel, type BuiltinModelEffects, documentBatch, documentThreads } from "./builtin_model.ts";
export { EmbeddingError, type EmbeddingErrorCode, type EmbeddingErrorOptions } from "./errors.ts";
export type { EmbeddingModel, QueryOptions, Vectors } from "./model.ts";
export { installedModel } from "./installed_model.ts";
export { type ModelInfo, readModelInfo } from "./model_info.ts";
export { type ModelFiles, ModelSource, type ModelSourceOptions } from "./model_source.ts";
export { openModel } from "./open_model.ts";
export {
  type ApiModelOptions,
  type BuiltinModelOptions,
  type BuiltinModelSettings,
  type EmbeddingIdentity,
  type EmbeddingOptions,
  type EmbeddingSettings,
  identityOf,
} from "./options.ts";
export { reindexCommand } from "./reindex_command.ts";
