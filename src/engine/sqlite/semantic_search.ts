import type { DatabaseSync } from "node:sqlite";
import { Embedder, EmbeddingError, type EmbeddingOptions } from "../../embeddings/mod.ts";
import { identityOf } from "../../embeddings/identity.ts";
import type { EngineOptions } from "../engine.ts";
import type { EmbeddingStatus } from "../http/handlers.ts";
import type { VectorRanker, VectorSearch } from "./search/mod.ts";
import { servingSet } from "./store/embedding_sets.ts";
import { vectorCounts } from "./store/mod.ts";
import { VectorIndex, VectorSearchError } from "./vectors/mod.ts";
import type { Writer } from "./writer/mod.ts";

/** Longest wait for the vectors' ranking, in milliseconds: beyond it full text alone is the better answer. */
const VECTOR_WAIT_MS = 2000;

/** Search by meaning, of an engine with an embedding model. */
export interface Semantic extends AsyncDisposable {
  readonly search: VectorSearch;
  readonly status: () => EmbeddingStatus;
  readonly index: VectorIndex;
}

/**
 * Puts together what search by meaning takes: the query's vector from the embedding model, the nearest chunks from the thread
 * that has theirs. What goes wrong with either is a warning and no error, since full text is still there.
 */
export function openSemantic(
  { dataDir, vectorMemoryBytes, log }: EngineOptions,
  embeddings: EmbeddingOptions,
  writer: Writer,
  db: DatabaseSync,
): Semantic {
  const identity = identityOf(embeddings);
  const embedder = new Embedder(embeddings);
  const index = VectorIndex.start({
    dataDir,
    identity,
    memoryBytes: vectorMemoryBytes,
  });
  const counts = () => vectorCounts(db, servingSet(db, identity)?.id ?? 0);
  let logged: unknown;
  const rankerFor = (query: Float32Array, signal?: AbortSignal): VectorRanker => async (top, allowed) => {
    try {
      const search = allowed ? { query, top, allowed } : { query, top };
      const { ids, scores, passing } = await index.search(search, { signal, timeoutMs: VECTOR_WAIT_MS });
      return { hits: Array.from(ids, (id, at) => ({ id, score: scores[at] as number })), passing };
    } catch (error) {
      if (!(error instanceof VectorSearchError)) throw error;
      // One failure may be many searches'.
      if (error !== logged) log.warn("the vectors cannot be searched", { error });
      logged = error;
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
    index,
    async [Symbol.asyncDispose]() {
      await Promise.all([index.close(), embedder[Symbol.asyncDispose]()]);
    },
  };
}

/** A model may have changed behind its name. */
function checkDimensions(length: number, stored: number): void {
  if (length === stored) return;
  throw new EmbeddingError(
    "wrong_dimensions",
    `The embedding model answers vectors of ${length} dimensions, those that are stored have ${stored}: ` +
      "set KB_EMBEDDINGS_MODEL and KB_EMBEDDINGS_DIMENSIONS back, or embed everything anew with kb-mcp reindex",
  );
}

function warningOf({ message }: Error): { warning: string } {
  return { warning: `Searched full text only: ${message}` };
}
