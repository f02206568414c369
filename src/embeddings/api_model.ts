import { CircuitBreaker } from "../async/mod.ts";
import { GenerationCache } from "../data_structures/mod.ts";
import { BatchSize } from "./batch_size.ts";
import { BatchBisection, mayBeTextError } from "./bisect.ts";
import { EmbeddingError } from "./errors.ts";
import type { EmbeddingModel, QueryOptions, Vectors } from "./model.ts";
import type { ApiModelOptions } from "./options.ts";
import { misconfiguredError, requestEmbeddings } from "./request.ts";

/** Maximum number of cached query vectors; those of the last 256 queries are in the cache. */
const MAX_CACHED_QUERIES = 512;
/** Maximum timeout of a query in milliseconds: a user waits for it. */
const QUERY_TIMEOUT_MS = 5000;
/** Longer queries are truncated to this many characters: few models support more than 512 tokens. */
const MAX_QUERY_CHARS = 2000;
/** Maximum number of concurrent queries. */
const MAX_CONCURRENT_QUERIES = 64;
/** A text that every model accepts. */
const PROBE_TEXT = "test";

/** Effects that tests replace. */
export interface ApiModelEffects {
  /** @default `globalThis.fetch` */
  readonly fetch?: typeof fetch;
  /** Monotonic clock in milliseconds. @default `performance.now` */
  readonly now?: () => number;
}

/**
 * A model behind an OpenAI-compatible `POST /v1/embeddings`.
 *
 * @example
 * ```ts
 * import { ApiModel } from "./api_model.ts";
 * import { assertEquals } from "@std/assert";
 * const model = new ApiModel({
 *   type: "api",
 *   url: "http://127.0.0.1:11434/v1",
 *   model: "nomic-embed-text",
 *   queryPrefix: "search_query: ",
 *   documentPrefix: "search_document: ",
 *   batchSize: 32,
 *   concurrency: 2,
 *   timeoutMs: 30_000,
 * }, { fetch: () => Promise.resolve(Response.json({ data: [{ index: 0, embedding: [3, 4] }] })) });
 * assertEquals([...await model.embedQuery("kettle")], [...Float32Array.of(0.6, 0.8)]);
 * ```
 */
export class ApiModel implements EmbeddingModel {
  readonly #options: ApiModelOptions;
  readonly #fetch: typeof fetch;
  readonly #now: () => number;
  readonly #queries = new GenerationCache<string, Float32Array>(MAX_CACHED_QUERIES);
  readonly #breaker: CircuitBreaker;
  readonly #batch: BatchSize;
  readonly #closing = new AbortController();
  #concurrentQueries = 0;
  /** Background attempt after a failure. */
  #retry: Promise<void> | undefined;

  constructor(
    options: ApiModelOptions,
    { fetch = globalThis.fetch, now = () => performance.now() }: ApiModelEffects = {},
  ) {
    this.#options = options;
    this.#fetch = fetch;
    this.#now = now;
    this.#breaker = new CircuitBreaker(now);
    this.#batch = new BatchSize(options.batchSize);
  }

  /** Maximum number of concurrent requests for documents. */
  get concurrency(): number {
    return this.#options.concurrency;
  }

  /**
   * Number of texts in the next request of {@linkcode ApiModel.embedDocuments}; adapts to a duration of about
   * 1 s.
   */
  get batchSize(): number {
    return this.#batch.value;
  }

  /**
   * Embeds a query: its first 2,000 characters, with the query prefix. Caches the last 256 queries. Makes one
   * attempt, with a timeout of at most 5 s. After an error, fails fast and retries in the background, at most
   * once every 5 s, until the model responds.
   *
   * @throws {EmbeddingError} If the model returns no vector.
   * @throws The reason of `signal`.
   */
  async embedQuery(text: string, { signal, dimensions }: QueryOptions = {}): Promise<Float32Array> {
    const query = text.slice(0, MAX_QUERY_CHARS);
    const cached = this.#queries.get(query);
    // Dimensions change when the model is replaced or the documents are re-embedded.
    if (cached && cached.length === (dimensions ?? cached.length)) return cached;
    if (this.#concurrentQueries >= MAX_CONCURRENT_QUERIES) {
      throw new EmbeddingError(
        "unavailable",
        `The embedding model is busy: ${MAX_CONCURRENT_QUERIES} queries are waiting for it`,
      );
    }
    if (this.#breaker.failure) {
      if (this.#breaker.canTry) this.#retryInBackground(query);
      throw this.#breaker.failure;
    }
    this.#concurrentQueries++;
    try {
      return await this.#requestQuery(query, signal);
    } finally {
      this.#concurrentQueries--;
    }
  }

  /**
   * Embeds document texts, with the document prefix, in sequential requests of {@linkcode ApiModel.batchSize}
   * texts.
   *
   * A rejected request is bisected to find the rejected texts. For a long one, the first half and the first
   * quarter are tried.
   *
   * @returns The vector of each text, or `null` for a text that the model rejects.
   * @throws {EmbeddingError} If the model is unavailable or misconfigured.
   * @throws The reason of `signal`.
   */
  async embedDocuments(texts: readonly string[], signal?: AbortSignal): Promise<Vectors> {
    const vectors: Vectors = [];
    while (vectors.length < texts.length) {
      const batch = texts.slice(vectors.length, vectors.length + this.batchSize)
        .map((text) => this.#options.documentPrefix + text);
      vectors.push(...await this.#embedBatch(batch, signal));
    }
    return vectors;
  }

  /**
   * Checks that the model accepts a simple text. If it does not, an error is not caused by the texts of a
   * request.
   *
   * @throws {EmbeddingError} If the model rejects the text or is unavailable.
   * @throws The reason of `signal`.
   */
  async probe(signal?: AbortSignal): Promise<void> {
    try {
      const [vector] = await this.#request([PROBE_TEXT], this.#options.timeoutMs, signal);
      if (!vector) throw misconfiguredError("returns only zeros", this.#options);
    } catch (error) {
      if (!(error instanceof EmbeddingError) || error.code !== "refused") throw error;
      const detail = error.cause instanceof Error ? ` (${error.cause.message})` : "";
      throw misconfiguredError(`rejects every text${detail}`, this.#options);
    }
  }

  /** Aborts the background attempt. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#retry;
  }

  #retryInBackground(query: string): void {
    if (this.#closing.signal.aborted) return;
    this.#retry ??= this.#requestQuery(query, this.#closing.signal).then(
      () => {},
      () => {}, // The circuit breaker has recorded the error.
    ).finally(() => this.#retry = undefined);
  }

  async #requestQuery(query: string, signal: AbortSignal | undefined): Promise<Float32Array> {
    try {
      const timeoutMs = Math.min(this.#options.timeoutMs, QUERY_TIMEOUT_MS);
      const [vector] = await this.#request([this.#options.queryPrefix + query], timeoutMs, signal);
      if (!vector) {
        throw new EmbeddingError("refused", "The embedding model returned no vector for this query");
      }
      this.#breaker.recordSuccess();
      this.#queries.set(query, vector);
      return vector;
    } catch (error) {
      // A rejected query says nothing about the next one.
      if (error instanceof EmbeddingError) {
        if (error.code === "refused") this.#breaker.recordSuccess();
        else this.#breaker.recordFailure(error);
      }
      throw error;
    }
  }

  async #embedBatch(
    batch: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Vectors> {
    try {
      const started = this.#now();
      const vectors = await this.#requestDocuments(batch, signal);
      this.#batch.recordSuccess(batch.length, this.#now() - started);
      if (vectors.includes(null)) await this.probe(signal);
      return vectors;
    } catch (error) {
      if (!mayBeTextError(error)) throw error;
      await this.probe(signal);
      const bisection = new BatchBisection({
        embed: (part) => this.#requestDocuments(part, signal),
        probe: () => this.probe(signal),
      });
      const vectors = await bisection.bisect(batch, error);
      // All texts were accepted in smaller requests, so the batch was too large.
      if (error.code === "refused" && !bisection.rejectedText) {
        this.#batch.recordRejection(bisection.maxAccepted);
      }
      return vectors;
    }
  }

  async #requestDocuments(
    batch: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Vectors> {
    try {
      return await this.#request(batch, this.#options.timeoutMs, signal);
    } catch (error) {
      if (error instanceof EmbeddingError && error.timedOut) this.#batch.recordTimeout(batch.length);
      throw error;
    }
  }

  #request(input: readonly string[], timeoutMs: number, signal: AbortSignal | undefined) {
    // Most servers reject lone surrogates.
    const texts = input.map((text) => text.toWellFormed());
    return requestEmbeddings(this.#options, texts, { timeoutMs, signal, fetch: this.#fetch });
  }
}
