import type { EmbeddingModel, EmbeddingOptions, ModelSource } from "../../embeddings/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import type { SemanticSearch } from "./semantic_search.ts";
import type { Writer } from "./writer/mod.ts";

/** Parts of an engine that use an embedding model. */
export interface ModelUsers {
  /** Opens the model. */
  readonly open: (options: EmbeddingOptions) => EmbeddingModel;
  readonly writer: Writer;
  readonly semantic: SemanticSearch;
  readonly log: Logger;
}

/**
 * Waits in the background for a model whose file is missing, and uses it without a restart.
 *
 * @returns Stops waiting when it is disposed.
 */
export function awaitModel(
  source: ModelSource,
  { open, writer, semantic, log }: ModelUsers,
): AsyncDisposable {
  const stop = new AbortController();
  const waiting = source.wait(stop.signal).then(async (options) => {
    if (!options || stop.signal.aborted) return;
    const model = open(options);
    await writer.useModel(options, model);
    semantic.useModel(options, model);
    log.info("the embedding model is available", { model: options.name });
  }).catch((error) => {
    if (!stop.signal.aborted) log.error("cannot use the embedding model", { error });
  });
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await waiting;
    },
  };
}
