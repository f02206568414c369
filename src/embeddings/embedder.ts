import { CircuitBreaker } from "../async/mod.ts";
import { BatchSize } from "./batch_size.ts";
import { EmbeddingError } from "./errors.ts";
import type { EmbeddingOptions } from "./options.ts";
import { QueryCache } from "./query_cache.ts";
import { isAboutText, RefusalSearch } from "./refusal_search.ts";
import { misconfigured, requestEmbeddings } from "./request.ts";

/** Queries whose vectors are kept. */
const CACHED_QUERIES = 256;
/** Most time for the vector of a query, in milliseconds: somebody waits for it. */
const QUERY_TIMEOUT_MS = 5000;
/** Characters of a query from its beginning that its vector is made of: few models take more than 512 tokens. */
const QUERY_CHARS = 2000;
/** Queries that may wait for the model at once. */
const MAX_QUERIES = 64;
/** A text that every model takes: it tells a model that does not take a text from one that takes nothing. */
const PROBE = "test";

/** What tests put in the place of the world. */
export interface EmbedderEffects {
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
  /** Milliseconds of a clock that never goes back. Default: `performance.now`. */
  readonly now?: () => number;
}

/** How a query's vector is asked for. */
export interface QueryOptions {
  /** Ends the wait for it. */
  readonly signal?: AbortSignal | undefined;
  /** Length of the vectors that it is compared with: one of another length that is remembered is asked for again. */
  readonly dimensions?: number | undefined;
}

/**
 * Vectors of texts, from any OpenAI-compatible `POST /v1/embeddings`. All have length 1, so their dot product is the cosine
 * of their angle.
 *
 * @example
 * ```ts
 * import { Embedder } from "./embedder.ts";
 * import { assertEquals } from "@std/assert";
 * const embedder = new Embedder({
 *   url: "http://127.0.0.1:11434/v1",
 *   model: "nomic-embed-text",
 *   queryPrefix: "search_query: ",
 *   documentPrefix: "search_document: ",
 *   batchSize: 32,
 *   concurrency: 2,
 *   timeoutMs: 30_000,
 * }, { fetch: () => Promise.resolve(Response.json({ data: [{ index: 0, embedding: [3, 4] }] })) });
 * assertEquals([...await embedder.embedQuery("kettle")], [...Float32Array.of(0.6, 0.8)]);
 * ```
 */
export class Embedder implements AsyncDisposable {
  readonly #options: EmbeddingOptions;
  readonly #fetch: typeof fetch;
  readonly #now: () => number;
  readonly #queries = new QueryCache(CACHED_QUERIES);
  readonly #breaker: CircuitBreaker;
  readonly #batch: BatchSize;
  readonly #closing = new AbortController();
  #waitingQueries = 0;
  /** The attempt of a query whose caller does not wait for it. */
  #trial: Promise<void> | undefined;

  constructor(
    options: EmbeddingOptions,
    { fetch = globalThis.fetch, now = () => performance.now() }: EmbedderEffects = {},
  ) {
    this.#options = options;
    this.#fetch = fetch;
    this.#now = now;
    this.#breaker = new CircuitBreaker(now);
    this.#batch = new BatchSize(options.batchSize);
  }

  /** How many texts {@linkcode Embedder.embedDocuments} sends at once: as many as take about 1 s, the setting at most. */
  get batchSize(): number {
    return this.#batch.value;
  }

  /**
   * The vector of a query (of its first 2,000 characters), its prefix before it. One attempt, of 5 s at most. After a failure it
   * fails at once until one has succeeded; for that one query is sent again every 5 s, for which nobody waits. The last 256
   * queries are answered from memory.
   *
   * @throws {EmbeddingError} When there is none; search goes on without it.
   * @throws The signal's reason, when it aborts.
   */
  async embedQuery(text: string, { signal, dimensions }: QueryOptions = {}): Promise<Float32Array> {
    const query = text.slice(0, QUERY_CHARS);
    const known = this.#queries.get(query);
    // A model that was another one for a while, or vectors that were made anew, must not spoil a query for good.
    if (known && known.length === (dimensions ?? known.length)) return known;
    if (this.#waitingQueries >= MAX_QUERIES) {
      throw new EmbeddingError(
        "unavailable",
        `The embedding model is busy: ${MAX_QUERIES} queries wait for it`,
      );
    }
    if (this.#breaker.failure) {
      if (this.#breaker.mayTry) this.#try(query);
      throw this.#breaker.failure;
    }
    this.#waitingQueries++;
    try {
      return await this.#requestQuery(query, signal);
    } finally {
      this.#waitingQueries--;
    }
  }

  /** Ends what goes on in the background. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await this.#trial;
  }

  #try(query: string): void {
    if (this.#closing.signal.aborted) return;
    this.#trial ??= this.#requestQuery(query, this.#closing.signal).then(
      () => {},
      () => {}, // It has told the breaker.
    ).finally(() => this.#trial = undefined);
  }

  async #requestQuery(query: string, signal: AbortSignal | undefined): Promise<Float32Array> {
    try {
      const timeoutMs = Math.min(this.#options.timeoutMs, QUERY_TIMEOUT_MS);
      const [vector] = await this.#request([this.#options.queryPrefix + query], timeoutMs, signal);
      if (!vector) throw new EmbeddingError("refused", "The embedding model has no vector for this query");
      this.#breaker.succeeded();
      this.#queries.set(query, vector);
      return vector;
    } catch (error) {
      // What it does not take is that query's matter, not the next one's.
      if (error instanceof EmbeddingError) {
        if (error.code === "refused") this.#breaker.succeeded();
        else this.#breaker.failed(error);
      }
      throw error;
    }
  }

  /**
   * The vectors of documents' texts, the prefix before each, in requests of up to {@linkcode Embedder.batchSize} texts, one
   * after the other.
   *
   * A text that the model refuses is found by halving the request. If it is long and no part of it from its beginning (a half, a
   * quarter) is taken either, it has no vector.
   *
   * @returns For each text its vector, or null.
   * @throws {EmbeddingError} When the model cannot be used at the moment, or as it is configured.
   * @throws The signal's reason, when it aborts.
   */
  async embedDocuments(texts: readonly string[], signal?: AbortSignal): Promise<(Float32Array | null)[]> {
    const vectors: (Float32Array | null)[] = [];
    while (vectors.length < texts.length) {
      const batch = texts.slice(vectors.length, vectors.length + this.batchSize)
        .map((text) => this.#options.documentPrefix + text);
      vectors.push(...await this.#embedBatch(batch, signal));
    }
    return vectors;
  }

  async #embedBatch(
    batch: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<(Float32Array | null)[]> {
    try {
      const started = this.#now();
      const vectors = await this.#requestDocuments(batch, signal);
      this.#batch.succeeded(batch.length, this.#now() - started);
      if (vectors.includes(null)) await this.probe(signal);
      return vectors;
    } catch (error) {
      if (!isAboutText(error)) throw error;
      await this.probe(signal);
      const search = new RefusalSearch(
        (part) => this.#requestDocuments(part, signal),
        () => this.probe(signal),
      );
      const vectors = await search.narrow(batch, error);
      // Every text was taken, in smaller requests.
      if (error.code === "refused" && !search.foundRefusal) this.#batch.tooLarge(search.largestAccepted);
      return vectors;
    }
  }

  async #requestDocuments(
    batch: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<(Float32Array | null)[]> {
    try {
      return await this.#request(batch, this.#options.timeoutMs, signal);
    } catch (error) {
      if (error instanceof EmbeddingError && error.timedOut) this.#batch.tooSlow(batch.length);
      throw error;
    }
  }

  /**
   * Makes sure that the model takes anything at all: else no text is to blame.
   *
   * @throws {EmbeddingError} When it does not.
   * @throws The signal's reason, when it aborts.
   */
  async probe(signal?: AbortSignal): Promise<void> {
    try {
      const [vector] = await this.#request([PROBE], this.#options.timeoutMs, signal);
      if (!vector) throw misconfigured("answers vectors of zeros", this.#options);
    } catch (error) {
      if (!(error instanceof EmbeddingError) || error.code !== "refused") throw error;
      const words = error.cause instanceof Error ? ` (${error.cause.message})` : "";
      throw misconfigured(`refuses every text${words}`, this.#options);
    }
  }

  #request(input: readonly string[], timeoutMs: number, signal: AbortSignal | undefined) {
    // A lone surrogate is no text to most servers.
    const texts = input.map((text) => text.toWellFormed());
    return requestEmbeddings(this.#options, texts, { timeoutMs, signal, fetch: this.#fetch });
  }
}
