import type { DatabaseSync } from "node:sqlite";
import type { JobWork } from "../../contract/mod.ts";
import {
  EmbeddingError,
  type EmbeddingIdentity,
  type EmbeddingModel,
  type EmbeddingOptions,
  identityOf,
} from "../../embeddings/mod.ts";
import { delay, type ThreadPort } from "../../async/mod.ts";
import { type Logger, withSpan } from "../../telemetry/mod.ts";
import type {
  ScoredChunk,
  StoredVectorQuery,
  VectorRanker,
  VectorSearch,
  VectorsUnavailable,
} from "../search/mod.ts";

import { RecentVectors } from "./recent_vectors.ts";
import {
  dataVersion,
  documentVectors,
  type EmbeddingSet,
  lastChunkId,
  missingVectors,
  servingSet,
  type VectorCounts,
  vectorCounts,
} from "./store/mod.ts";
import { type ScoredIds, similaritiesOf, totalsOf, VectorIndex, VectorSearchError } from "./vectors/mod.ts";
import type { Writer } from "./writer/mod.ts";

/**
 * Timeout for ranking by vectors once they are loaded, in milliseconds; after that, full-text results alone are more useful.
 */
const VECTOR_TIMEOUT_MS = 2000;

/**
 * Maximum time for the vector of a query, in milliseconds, and from then on for the load of stored vectors. Includes the
 * load of a built-in model, and leaves time for both rankings before the limit of a search.
 */
const QUERY_TIMEOUT_MS = 7000;

/** Number of last chunks among which notes count as recent. */
const RECENT_CHUNKS = 256;

/** Model whose cosines are known to mean that two notes say nearly the same. */
const DEFAULT_MODEL = "all-MiniLM-L6-v2";
/** Maximum number of recent notes without a vector during which notes are compared by meaning. */
const MAX_NOTE_BACKLOG = 16;
/** Maximum time for the vectors of a comparison, in milliseconds: includes the load of the model. */
const NOTE_TIMEOUT_MS = 400;
/** Interval between checks for missing vectors, in milliseconds. */
const CHECK_MS = 5;

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

/** Settings of {@linkcode SemanticSearch}. */
export interface SemanticSearchOptions {
  readonly dataDir: string;
  /** Name of the model. */
  readonly name: string;
  /** Returns why there is no model, until {@linkcode SemanticSearch.useModel} is called. */
  readonly problem: () => string;
  readonly vectorMemoryBytes: number;
  readonly writer: Pick<Writer, "embeddingState">;
  readonly db: DatabaseSync;
  /** Starts the vector thread. */
  readonly spawn: () => ThreadPort;
  readonly log: Logger;
  /** Maximum time for the vector of a query, in milliseconds. @default {7000} */
  readonly queryTimeoutMs?: number;
  /** Maximum time for a ranking by vectors that are loaded, in milliseconds. @default {2000} */
  readonly vectorTimeoutMs?: number;
}

/** A model, and the vectors that it made. */
interface ModelInUse {
  readonly options: EmbeddingOptions;
  readonly identity: EmbeddingIdentity;
  readonly model: EmbeddingModel;
  readonly index: VectorIndex;
}

/**
 * Combines the embedding model, which turns a query into a vector, with the thread that finds the nearest
 * chunks. An error of either becomes a warning in the response, because full-text results are still
 * available.
 */
export class SemanticSearch implements VectorSearch, AsyncDisposable {
  readonly #options: SemanticSearchOptions;
  #inUse: ModelInUse | undefined;
  readonly #recent = new RecentVectors({
    embedded: () => this.embedded(),
    all: () => this.#missing(),
    recentNotes: () => this.#recentNotes().length,
  });
  /** The set in use, as of a `PRAGMA data_version`. */
  #serving: { readonly version: number | undefined; readonly set: EmbeddingSet | undefined } | undefined;
  /** `PRAGMA data_version`, until the running code awaits. */
  #version: number | undefined;
  #isWarm = false;
  #lastLogged: string | undefined;

  constructor(options: SemanticSearchOptions) {
    this.#options = options;
  }

  /** Searches with this model, which the caller disposes. Called once. */
  useModel(options: EmbeddingOptions, model: EmbeddingModel): void {
    const { dataDir, vectorMemoryBytes: memoryBytes, spawn } = this.#options;
    const identity = identityOf(options);
    this.#inUse = {
      options,
      identity,
      model,
      index: VectorIndex.start({ dataDir, identity, memoryBytes, spawn }),
    };
    if (this.#isWarm) this.warmUp();
  }

  /** Why no model is in use; undefined if one is. */
  get missingModel(): string | undefined {
    return this.#inUse ? undefined : this.#options.problem();
  }

  embed(query: string, signal?: AbortSignal): VectorRanker {
    const embedding = withSpan("search embed", {}, () => this.#embed(query, signal));
    // Nothing awaits it if the search fails before it ranks by vectors.
    embedding.catch(() => {});
    return async (request) => {
      const ranker = await embedding;
      return "warning" in ranker ? ranker : await ranker(request);
    };
  }

  async #embed(query: string, signal?: AbortSignal): Promise<VectorRanker | VectorsUnavailable> {
    const inUse = this.#inUse;
    if (!inUse) return { warning: `Searched full text only: ${this.#options.problem()}` };
    const set = this.#servingSet();
    const { otherModel } = this.#options.writer.embeddingState;
    if (!set && otherModel !== undefined) {
      return {
        warning:
          `Searched full text only: the vectors are of another embedding model (${otherModel}). Run kb-mcp reindex`,
      };
    }
    if (inUse.options.type === "builtin") await this.#recent.wait(signal);
    // The model is not loaded before there is something to find.
    if (inUse.options.type === "builtin" && this.embedded() === 0) {
      const { error } = this.#options.writer.embeddingState;
      if (error !== null) return { warning: `Searched full text only: ${error}` };
      return () => Promise.resolve({ hits: [], others: [], spread: undefined, total: 0 });
    }
    const { queryTimeoutMs = QUERY_TIMEOUT_MS } = this.#options;
    const loadDeadline = performance.now() + queryTimeoutMs;
    try {
      const dimensions = set?.dimensions ?? undefined;
      const embedding = inUse.model.embedQuery(query, { signal, dimensions });
      // The model continues to load, for later searches.
      embedding.catch(() => {});
      const vector = await within(queryTimeoutMs, embedding);
      if (!vector) {
        return { warning: "Searched full text only: the embedding model is slow. Try again in a moment" };
      }
      checkDimensions(vector.length, dimensions ?? vector.length);
      return this.#rankerFor(inUse.index, vector, { signal, loadDeadline });
    } catch (error) {
      if (!(error instanceof EmbeddingError)) throw error;
      if (error.code !== "refused") this.#logOnce("cannot embed a query", error);
      return warningOf(error);
    }
  }

  async embedNote(text: string, signal?: AbortSignal): Promise<VectorRanker | undefined> {
    const inUse = this.#inUse;
    if (inUse?.options.type !== "builtin" || inUse.options.name !== DEFAULT_MODEL) return undefined;
    const missing = this.#recentNotes();
    if (this.embedded() + missing.length === 0 || missing.length > MAX_NOTE_BACKLOG) return undefined;
    const deadline = performance.now() + NOTE_TIMEOUT_MS;
    const embedding = inUse.model.embedQuery(text, { signal }).catch((error) => {
      if (!(error instanceof EmbeddingError)) throw error;
      return undefined;
    });
    const vector = await within(NOTE_TIMEOUT_MS, embedding);
    // Finds the note that was added just before, too.
    while (vector && performance.now() < deadline && this.#areMissing(missing)) {
      await delay(CHECK_MS, signal ?? new AbortController().signal, { ref: true });
    }
    return vector && this.#rankerFor(inUse.index, vector, { signal });
  }

  embedded(): number {
    return this.#counts().embedded;
  }

  refused(): number {
    return this.#counts().refused;
  }

  /** Returns the state of the model and of its vectors. */
  status(): EmbeddingStatus {
    const { dimensions, embedded, refused, total } = this.#counts();
    const { bytes } = this.#inUse?.index.memory() ?? { bytes: 0 };
    return {
      name: this.#options.name,
      vectors: { dimensions, embedded, refused, total, memory_bytes: bytes, error: this.#error() },
    };
  }

  /** Returns how many chunks of a document have a vector, while some have none. */
  vectorWork(documentId: number): JobWork | undefined {
    const { db } = this.#options;
    const set = this.#servingSet();
    const counts = set && documentVectors(db, set.id, documentId);
    return counts && counts.done < counts.total ? { unit: "vectors", ...counts } : undefined;
  }

  /** Starts the vector thread and loads the vectors, if there are any. */
  warmUp(): void {
    this.#isWarm = true;
    if (this.embedded() > 0) this.#inUse?.index.warmUp();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inUse?.index.close();
  }

  #counts(): VectorCounts {
    const { db } = this.#options;
    return vectorCounts(db, this.#servingSet()?.id ?? 0);
  }

  /** Returns the set in use, which each search needs several times. Undefined without a model or vectors of it. */
  #servingSet(): EmbeddingSet | undefined {
    const { db } = this.#options;
    const version = this.#dataVersion();
    if (this.#inUse && this.#serving?.version !== version) {
      this.#serving = { version, set: servingSet(db, this.#inUse.identity) };
    }
    return this.#serving?.set;
  }

  /** Returns the version of the data. Read once until the running code awaits: no commit is acknowledged before. */
  #dataVersion(): number {
    if (this.#version === undefined) {
      queueMicrotask(() => this.#version = undefined);
      this.#version = dataVersion(this.#options.db);
    }
    return this.#version;
  }

  /** Returns the number of chunks without a vector while the model works. */
  #missing(): number {
    const { embedded, refused, total } = this.#counts();
    return this.#options.writer.embeddingState.error === null ? total - embedded - refused : 0;
  }

  /** Returns the chunks of notes without a vector, among the last chunks. */
  #recentNotes(): readonly number[] {
    const { db } = this.#options;
    const set = this.#servingSet();
    return set ? missingVectors(db, set.id, { after: lastChunkId(db) - RECENT_CHUNKS }).notes : [];
  }

  /** Whether any of some recent chunks still has no vector. */
  #areMissing(chunks: readonly number[]): boolean {
    if (chunks.length === 0) return false;
    const missing = new Set(this.#recentNotes());
    return chunks.some((id) => missing.has(id));
  }

  #error(): string | null {
    if (!this.#inUse) return this.#options.problem();
    const { error, otherModel } = this.#options.writer.embeddingState;
    // kb-mcp reindex has made vectors of this model meanwhile.
    return otherModel !== undefined && this.#servingSet() ? null : error;
  }

  /** @param options.loadDeadline When vectors must be loaded, in the time of `performance.now()`, beyond the timeout. */
  #rankerFor(
    index: VectorIndex,
    query: Float32Array,
    { signal, loadDeadline }: { readonly signal?: AbortSignal | undefined; readonly loadDeadline?: number },
  ): VectorRanker {
    const { vectorTimeoutMs: timeoutMs = VECTOR_TIMEOUT_MS } = this.#options;
    return async ({ limit, allowed, others, shared }) => {
      try {
        const search = {
          query,
          top: limit,
          ...(allowed && { allowed }),
          ...(shared && { shared: { ...shared, totals: totalsOf(this) } }),
        };
        const loadMs = (loadDeadline ?? 0) - performance.now();
        // Less time than for the search counts as a part of it.
        const startTimeoutMs = loadMs > timeoutMs ? loadMs : undefined;
        const options = { signal, timeoutMs, startTimeoutMs };
        const nearest = await index.search(search, options);
        const hits = scoredChunks(nearest);
        const stored: StoredVectorQuery = { vector: query, setId: nearest.setId };
        return {
          hits,
          others: similaritiesOf(this.#options.db, await others, stored, hits),
          spread: nearest.spread,
          total: nearest.passing,
          query: stored,
        };
      } catch (error) {
        if (!(error instanceof VectorSearchError)) throw error;
        this.#logOnce("cannot search vectors", error);
        return warningOf(error);
      }
    };
  }

  /** Many searches can fail with the same error. */
  #logOnce(event: string, error: Error): void {
    if (error.message !== this.#lastLogged) this.#options.log.warn(event, { error });
    this.#lastLogged = error.message;
  }
}

function scoredChunks({ ids, scores }: ScoredIds): ScoredChunk[] {
  return Array.from(ids, (id, index) => ({ id, score: scores[index] as number }));
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

/** Resolves to undefined if a promise takes longer than some milliseconds. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<undefined>((resolve) => timer = setTimeout(() => resolve(undefined), ms));
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function warningOf({ message }: Error): { warning: string } {
  return { warning: `Searched full text only: ${message}` };
}
