import type { ThreadPort } from "../async/mod.ts";
import { ApiModel } from "./api_model.ts";
import { BuiltinModel } from "./builtin_model.ts";
import type { EmbeddingModel } from "./model.ts";
import type { EmbeddingOptions } from "./options.ts";

/**
 * Opens an embedding model. Nothing is loaded or requested before it is used.
 *
 * @param spawnEncoder Starts a thread that runs `serveEncoder`, for a built-in model.
 */
export function openModel(options: EmbeddingOptions, spawnEncoder: () => ThreadPort): EmbeddingModel {
  return options.type === "api" ? new ApiModel(options) : new BuiltinModel(options, { spawn: spawnEncoder });
}
