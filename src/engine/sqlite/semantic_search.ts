import type { DatabaseSync } from "node:sqlite";
import { Embedder, EmbeddingError, type EmbeddingOptions, identityOf } from "../../embeddings/mod.ts";
import type { ThreadPort } from "../../async/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import type { VectorRanker, VectorSearch } from "../search/mod.ts";
import { servingSet, type VectorCounts, vectorCounts } from "./store/mod.ts";
import { VectorIndex, VectorSearchError } from "./vectors/mod.ts";
import type { Writer } from "./writer/mod.ts";

/** Timeout for ranking by vectors, in milliseconds; after that, full-text results alone are more useful. */
const VECTOR_TIMEOUT_MS = 2000;

/** State of the embedding model and of the vectors, for `GET /status`. */
export interface EmbeddingStatus {
  /** Name of the model. */
  readonly name: string;
  readonly vectors: VectorCounts & {
    /** Memory used by vectors, in bytes. */
    readonly memory_bytes: number;
    /** Current error of the embedding model, or null. */
    readonly error: string | null;
  };
}

/** Search by vectors of an engine with an embedding model. */
export interface SemanticSearch extends AsyncDisposable {
  readonly search: VectorSearch;
  readonly status: () => EmbeddingStatus;
  /** Starts the vector thread and loads the vectors. */
  warmUp(): void;
}

/** Settings of {@linkcode openSemanticSearch}. */
export interface SemanticSearchOptions {
  readonly dataDir: string;
  readonly embeddings: EmbeddingOptions;
  readonly vectorMemoryBytes: number;
  readonly writer: Pick<Writer, "embeddingState">;
  readonly db: DatabaseSync;
  /** Starts the vector thread. */
  readonly spawn: () => ThreadPort;
  readonly log: Logger;
}

/**
 * Combines the embedding model, which turns a query into a vector, with the thread that finds the nearest
 * chunks. An error of either becomes a warning in the response, because full-text results are still
 * available.
 */
export function openSemanticSearch(
  { dataDir, embeddings, vectorMemoryBytes, writer, db, spawn, log }: SemanticSearchOptions,
): SemanticSearch {
  const identity = identityOf(embeddings);
  const embedder = new Embedder(embeddings);
  const index = VectorIndex.start({ dataDir, identity, memoryBytes: vectorMemoryBytes, spawn });
  const counts = () => vectorCounts(db, servingSet(db, identity)?.id ?? 0);
  let lastLogged: unknown;
  const rankerFor = (query: Float32Array, signal?: AbortSignal): VectorRanker => async (top, allowed) => {
    try {
      const search = allowed ? { query, top, allowed } : { query, top };
      const { ids, scores, passing } = await index.search(search, { signal, timeoutMs: VECTOR_TIMEOUT_MS });
      return { hits: Array.from(ids, (id, at) => ({ id, score: scores[at] as number })), total: passing };
    } catch (error) {
      if (!(error instanceof VectorSearchError)) throw error;
      // Many searches can fail with the same error.
      if (error !== lastLogged) log.warn("cannot search vectors", { error });
      lastLogged = error;
      return warningOf(error);
    }
  };
  return {
    search: {
      async embed(query, signal) {
        try {
          const dimensions = servingSet(db, identity)?.dimensions ?? undefined;
          const vector = await embedder.embedQuery(query, { signal, dimensions });
          checkDimensions(vector.length, dimensions ?? vector.length);
          return rankerFor(vector, signal);
        } catch (error) {
          if (!(error instanceof EmbeddingError)) throw error;
          return warningOf(error);
        }
      },
      embedded: () => counts().embedded,
    },
    status: () => {
      const { dimensions, embedded, refused, total } = counts();
      const { error } = writer.embeddingState;
      const { bytes } = index.memory();
      return {
        name: embeddings.model,
        vectors: { dimensions, embedded, refused, total, memory_bytes: bytes, error },
      };
    },
    warmUp: () => index.warmUp(),
    async [Symbol.asyncDispose]() {
      await Promise.all([index.close(), embedder[Symbol.asyncDispose]()]);
    },
  };
}

/** Detects a model that was replaced under the same name. */
function checkDimensions(length: number, stored: number): void {
  if (length === stored) return;
  throw new EmbeddingError(
    "wrong_dimensions",
    `The embedding model returns vectors of ${length} dimensions, but the stored ones have ${stored}: ` +
      "restore KB_EMBEDDINGS_MODEL and KB_EMBEDDINGS_DIMENSIONS, or embed all chunks again with kb-mcp reindex",
  );
}

function warningOf({ message }: Error): { warning: string } {
  return { warning: `Searched full text only: ${message}` };
}
