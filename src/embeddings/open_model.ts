import { ApiModel } from "./api_model.ts";
import { BuiltinModel, type BuiltinModelEffects } from "./builtin_model.ts";
import type { EmbeddingModel } from "./model.ts";
import type { EmbeddingOptions } from "./options.ts";

/**
 * Opens an embedding model. Nothing is loaded or requested before it is used.
 *
 * @param effects Start the threads of a built-in model.
 */
export function openModel(
  options: EmbeddingOptions,
  effects: Pick<BuiltinModelEffects, "spawn" | "spawnSpare" | "spawnQueries">,
): EmbeddingModel {
  return options.type === "api" ? new ApiModel(options) : new BuiltinModel(options, effects);
}
