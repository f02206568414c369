import {
  EmbeddingError,
  type EmbeddingOptions,
  type EmbeddingSettings,
  installedModel,
  ModelSource,
} from "../embeddings/mod.ts";
import { type Logger, silentLogger } from "../telemetry/mod.ts";
import {
  reindex as reindexStore,
  type ReindexOptions as StoreReindexOptions,
  type VectorCounts,
} from "./sqlite/mod.ts";
import { spawnEncoder, spawnSpareEncoder } from "./worker.ts";

/** Settings of {@linkcode reindex}. */
export interface ReindexOptions
  extends Omit<StoreReindexOptions, "embeddings" | "spawnEncoder" | "spawnSpareEncoder"> {
  /** The embedding model. The file of a built-in one is downloaded if it is missing. */
  readonly embeddings: EmbeddingSettings;
  /** Receives the progress of a download. @default nothing is logged */
  readonly log?: Logger;
}

/** Result of {@linkcode reindex}. */
export interface ReindexResult extends VectorCounts {
  /** Name of the model. */
  readonly model: string;
  /** Whether the set is complete; it is not if the signal aborted. */
  readonly isDone: boolean;
}

/**
 * Embeds every chunk again, into a new set of vectors. Engines with this model serve the set once it is
 * complete; until then a running engine serves the previous one. Continues with an incomplete set of the same
 * model if there is one.
 *
 * @returns The final counts.
 * @throws {DataDirError} When the directory has no data, cannot be used, or is being reindexed by another
 * process.
 * @throws {EmbeddingError} When the model cannot be used at the start, or rejects its configuration.
 *
 * @example
 * ```ts
 * import { DataDirError, type EmbeddingSettings, reindex } from "./mod.ts";
 * import { assertRejects } from "@std/assert";
 * const embeddings: EmbeddingSettings = {
 *   type: "api",
 *   url: "http://127.0.0.1:11434/v1",
 *   model: "nomic-embed-text",
 *   queryPrefix: "",
 *   documentPrefix: "",
 *   batchSize: 32,
 *   concurrency: 2,
 *   timeoutMs: 30_000,
 * };
 * const { signal } = new AbortController();
 * await assertRejects(() => reindex({ dataDir: "/nowhere", embeddings, signal }), DataDirError, "no data");
 * ```
 */
export async function reindex(options: ReindexOptions): Promise<ReindexResult> {
  const embeddings = await resolve(options);
  const result = await reindexStore({ ...options, embeddings, spawnEncoder, spawnSpareEncoder });
  return { ...result, model: embeddings.type === "api" ? embeddings.model : embeddings.name };
}

async function resolve(
  { embeddings, dataDir, signal, log = silentLogger }: ReindexOptions,
): Promise<EmbeddingOptions> {
  if (embeddings.type === "api") return embeddings;
  const files = installedModel(embeddings, { dataDir, log });
  const source = new ModelSource({ settings: embeddings, files });
  const model = await source.find() ?? await source.download(signal);
  signal.throwIfAborted();
  if (!model) throw new EmbeddingError("misconfigured", `Cannot reindex: ${source.problem}`);
  return model;
}
