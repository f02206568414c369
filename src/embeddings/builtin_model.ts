import {
  CircuitBreaker,
  hasThreadPriorities,
  RemoteError,
  type RequestOptions,
  ThreadError,
  type ThreadPort,
} from "../async/mod.ts";
import { GenerationCache } from "../data_structures/mod.ts";
import { EncoderThreads } from "./encoder_threads.ts";
import { EmbeddingError } from "./errors.ts";
import type { EmbeddingModel, QueryOptions, Vectors } from "./model.ts";
import type { BuiltinModelOptions } from "./options.ts";

/** Maximum number of cached query vectors; those of the last 256 queries are in the cache. */
const MAX_CACHED_QUERIES = 512;
/** Default maximum time for a query in milliseconds. */
const QUERY_TIMEOUT_MS = 5000;
/** Longer queries are truncated to this many characters: more than any model reads. */
const MAX_QUERY_CHARS = 2000;
/** Number of texts that a thread embeds at a time; takes up to a second. */
export const documentBatch = 8;
/** Time after which document threads end, in milliseconds. Each one takes several MB. */
const IDLE_MS = 5000;
/** Time after a query in which the spare thread rests, in milliseconds: others may follow. */
const SPARE_REST_MS = 10_000;
/** Thread that embeds queries; the others embed documents. */
const QUERY_THREAD = 0;

/** Effects of a {@linkcode BuiltinModel}. */
export interface BuiltinModelEffects {
  /** Starts a thread that runs `serveEncoder`. */
  readonly spawn: () => ThreadPort;
  /**
   * Starts the spare thread: the last for documents, if there are several and threads have priorities. It is for a core
   * that nothing else uses, and gets no documents within 10 s after a query.
   */
  readonly spawnSpare: () => ThreadPort;
  /** Starts the one for queries, or connects to it. @default {spawn} */
  readonly spawnQueries?: () => ThreadPort;
  /** Number of document threads. @default {documentThreads()} */
  readonly documentThreads?: number;
  /** Time without documents after which their threads end, in milliseconds. @default {5000} */
  readonly idleMs?: number;
  /** Maximum time for a query in milliseconds, including the load of the model. @default {5000} */
  readonly queryTimeoutMs?: number;
  /** Monotonic clock in milliseconds. @default {performance.now} */
  readonly now?: () => number;
}

/**
 * Returns the number of threads for documents: one less than the cores, so that queries have one, or as many where threads
 * have priorities and the last one is a spare.
 */
export function documentThreads(): number {
  const cores = navigator.hardwareConcurrency;
  return hasThreadPriorities ? cores : Math.max(1, cores - 1);
}

/**
 * A model that runs in threads of this process: one for queries, and several for documents, so that a query
 * does not wait for documents. The threads start, and load the model, when they are needed.
 */
export class BuiltinModel implements EmbeddingModel {
  readonly #options: BuiltinModelOptions;
  readonly #queries = new GenerationCache<string, Float32Array>(MAX_CACHED_QUERIES);
  readonly #breaker: CircuitBreaker;
  readonly #threads: EncoderThreads;
  readonly #idleMs: number;
  readonly #queryTimeoutMs: number;
  /** Number of requests of each document thread. */
  readonly #documentRequests: number[];
  readonly #hasSpare: boolean;
  readonly #now: () => number;
  #lastQueryAt = -Infinity;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  readonly batchSize = documentBatch;

  constructor(
    options: BuiltinModelOptions,
    {
      spawn,
      spawnSpare,
      spawnQueries = spawn,
      documentThreads: documents = documentThreads(),
      idleMs = IDLE_MS,
      queryTimeoutMs = QUERY_TIMEOUT_MS,
      now = () => performance.now(),
    }: BuiltinModelEffects,
  ) {
    this.#options = options;
    this.#breaker = new CircuitBreaker(now);
    this.#idleMs = idleMs;
    this.#queryTimeoutMs = queryTimeoutMs;
    this.#now = now;
    this.#documentRequests = new Array<number>(documents).fill(0);
    this.#hasSpare = hasThreadPriorities && documents > 1;
    const { path, checksum } = options;
    this.#threads = new EncoderThreads({
      spawn: (index) => {
        if (index === QUERY_THREAD) return spawnQueries();
        return this.#hasSpare && index === QUERY_THREAD + documents ? spawnSpare() : spawn();
      },
      model: { path, checksum },
      size: 1 + documents,
    });
  }

  /** Number of document threads. */
  get concurrency(): number {
    return this.#documentRequests.length;
  }

  /**
   * Embeds a query: its first 2,000 characters, with the query prefix. Caches the last 256 queries. After an
   * error, fails fast for 5 s.
   *
   * @throws {EmbeddingError} If the model cannot be loaded, takes longer than 5 s, or knows no token of the
   * query.
   * @throws The reason of `signal`.
   */
  async embedQuery(text: string, { signal }: QueryOptions = {}): Promise<Float32Array> {
    this.#lastQueryAt = this.#now();
    const query = text.slice(0, MAX_QUERY_CHARS);
    const cached = this.#queries.get(query);
    if (cached) return cached;
    if (this.#breaker.failure && !this.#breaker.canTry) throw this.#breaker.failure;
    const input = this.#options.queryPrefix + query;
    try {
      const limits = { signal, timeoutMs: this.#queryTimeoutMs };
      const [vector] = await this.#encode(QUERY_THREAD, [input], limits);
      this.#breaker.recordSuccess();
      if (!vector) throw this.#unknownCharacters();
      this.#queries.set(query, vector);
      return vector;
    } catch (error) {
      if (error instanceof EmbeddingError && !isBusy(error) && error.code !== "refused") {
        this.#breaker.recordFailure(error);
      }
      throw error;
    }
  }

  /**
   * Embeds document texts in one thread.
   *
   * @throws {EmbeddingError} If the model cannot be loaded, or the thread fails.
   * @throws The reason of `signal`.
   */
  async embedDocuments(texts: readonly string[], signal?: AbortSignal): Promise<Vectors> {
    const { documentPrefix } = this.#options;
    return await this.#encodeDocuments(texts.map((text) => documentPrefix + text), signal);
  }

  /** Checks that the model embeds a simple text. */
  async probe(signal?: AbortSignal): Promise<void> {
    await this.#encodeDocuments(["test"], signal);
  }

  /** Ends all threads. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#idleTimer);
    await this.#threads[Symbol.asyncDispose]();
  }

  /** Encodes in the document thread with the fewest requests, and in the spare one only when none other is free. */
  async #encodeDocuments(texts: readonly string[], signal: AbortSignal | undefined): Promise<Vectors> {
    const requests = this.#documentRequests;
    const mayUseSpare = !this.#hasSpare || this.#now() - this.#lastQueryAt >= SPARE_REST_MS;
    const usable = mayUseSpare ? requests : requests.slice(0, -1);
    const at = usable.indexOf(Math.min(...usable));
    requests[at]!++;
    clearTimeout(this.#idleTimer);
    try {
      return [...await this.#encode(QUERY_THREAD + 1 + at, texts, { signal })];
    } finally {
      requests[at]!--;
      if (requests.every((count) => count === 0)) this.#scheduleStop();
    }
  }

  /** Ends the document threads, unless there are documents before. */
  #scheduleStop(): void {
    if (this.#isClosed) return;
    this.#idleTimer = setTimeout(() => {
      for (const at of this.#documentRequests.keys()) this.#threads.stop(QUERY_THREAD + 1 + at);
    }, this.#idleMs);
    Deno.unrefTimer(this.#idleTimer);
  }

  async #encode(
    thread: number,
    texts: readonly string[],
    options: RequestOptions,
  ): Promise<Vectors> {
    try {
      return await this.#threads.encode(thread, texts, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      throw this.#toEmbeddingError(error);
    }
  }

  #unknownCharacters(): EmbeddingError {
    const { name } = this.#options;
    return new EmbeddingError(
      "refused",
      `The embedding model ${name} does not know the characters of the query`,
    );
  }

  #toEmbeddingError(error: unknown): EmbeddingError {
    const { model, name } = this.#options;
    if (!(error instanceof ThreadError)) {
      return new EmbeddingError("unavailable", `The embedding model ${name} failed`, { cause: error });
    }
    if (error.cause instanceof RemoteError) {
      return new EmbeddingError(
        "misconfigured",
        error.cause.code === "misconfigured"
          ? error.cause.message
          : `The embedding model ${name} cannot be loaded (${error.cause.message}): ` +
            `run kb-mcp model install ${model === "builtin" ? name : model}`,
        { cause: error },
      );
    }
    if (error.code === "busy") {
      return new EmbeddingError("unavailable", `The embedding model ${name} is busy: try again in a moment`, {
        cause: error,
      });
    }
    return new EmbeddingError(
      "unavailable",
      error.code === "timeout"
        ? `The embedding model ${name} did not respond within ${this.#queryTimeoutMs / 1000} s`
        : `The thread of the embedding model ${name} has ended`,
      { cause: error, timedOut: error.code === "timeout" },
    );
  }
}

/** Whether a request was refused since too many are pending, which says nothing about the next one. */
function isBusy({ cause }: EmbeddingError): boolean {
  return cause instanceof ThreadError && cause.code === "busy";
}
