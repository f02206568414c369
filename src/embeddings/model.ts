/** Options of {@linkcode EmbeddingModel.embedQuery}. */
export interface QueryOptions {
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
  /** Dimensions of the stored vectors. A cached vector with other dimensions is requested again. */
  readonly dimensions?: number | undefined;
}

/** Vectors of a batch; `null` for a text without one. */
export type Vectors = (Float32Array | null)[];

/** Embeds texts. All vectors have length 1, so that their dot product is the cosine similarity. */
export interface EmbeddingModel extends AsyncDisposable {
  /** Maximum number of useful concurrent calls of {@linkcode EmbeddingModel.embedDocuments}. */
  readonly concurrency: number;
  /** Number of texts to embed in the next call of {@linkcode EmbeddingModel.embedDocuments}. */
  readonly batchSize: number;
  /**
   * Embeds a query.
   *
   * @throws {EmbeddingError} If the model returns no vector.
   * @throws The reason of `signal`.
   */
  embedQuery(text: string, options?: QueryOptions): Promise<Float32Array>;
  /**
   * Embeds document texts.
   *
   * @returns The vector of each text, or `null` for a text that the model rejects.
   * @throws {EmbeddingError} If the model is unavailable or misconfigured.
   * @throws The reason of `signal`.
   */
  embedDocuments(texts: readonly string[], signal?: AbortSignal): Promise<Vectors>;
  /**
   * Checks that the model accepts a simple text. If it does not, an error is not caused by the texts of a
   * request.
   *
   * @throws {EmbeddingError} If the model rejects the text or is unavailable.
   * @throws The reason of `signal`.
   */
  probe(signal?: AbortSignal): Promise<void>;
}
