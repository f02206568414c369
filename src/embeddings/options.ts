/** Settings of the embeddings API. Plain values, because they are passed to threads. */
export interface EmbeddingOptions {
  /**
   * Base URL of an OpenAI-compatible API (`http://host:11434/v1`), or the URL of its `…/embeddings` endpoint.
   */
  readonly url: string;
  /** Name of the model. */
  readonly model: string;
  /** Bearer token. */
  readonly apiKey?: string;
  /** Dimensions to request from models that support several. @default the model's */
  readonly dimensions?: number;
  /** Prefix of every query, such as `query: `. */
  readonly queryPrefix: string;
  /** Prefix of every document text, such as `passage: `. */
  readonly documentPrefix: string;
  /** Maximum number of texts in a request. */
  readonly batchSize: number;
  /** Maximum number of concurrent requests for documents. */
  readonly concurrency: number;
  /** Timeout of a request for documents, in milliseconds. The timeout of a query is at most 5 s. */
  readonly timeoutMs: number;
}

/** Identifies a compatible set of vectors: only vectors of the same identity can be compared. */
export interface EmbeddingIdentity {
  /** Name of the embedding model. */
  readonly model: string;
  /** Prefix of each document's text. */
  readonly documentPrefix: string;
  /** Configured dimensions. Unset: the model's default. */
  readonly dimensions?: number | undefined;
}

/** Returns the identity of the vectors that a configuration produces. The query prefix is not part of it. */
export function identityOf({ model, documentPrefix, dimensions }: EmbeddingOptions): EmbeddingIdentity {
  return { model, documentPrefix, dimensions };
}

/** Returns the URL that requests are posted to. */
export function endpointOf({ url }: EmbeddingOptions): string {
  return url.endsWith("/embeddings") ? url : `${url.replace(/\/+$/, "")}/embeddings`;
}
