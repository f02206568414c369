/** Where vectors come from, and how they are asked for. Plain values, since they cross to the writer's thread. */
export interface EmbeddingOptions {
  /** Base URL of an OpenAI-compatible API (`http://host:11434/v1`), or the URL of its `…/embeddings` itself. */
  readonly url: string;
  /** Name of the model. */
  readonly model: string;
  /** Bearer token of the API. */
  readonly apiKey?: string;
  /** Dimensions to ask for, of models that can be asked. Unset: the model's own. */
  readonly dimensions?: number;
  /** Stands before every query, as some models want it: `query: `. */
  readonly queryPrefix: string;
  /** Stands before every document's text: `passage: `. */
  readonly documentPrefix: string;
  /** Most texts in one request. */
  readonly batchSize: number;
  /** Most requests for documents at once. */
  readonly concurrency: number;
  /** Time that a request for documents may take, in milliseconds; one for a query has 5 s of it at most. */
  readonly timeoutMs: number;
}

/** The URL that texts are posted to. */
export function endpointOf({ url }: EmbeddingOptions): string {
  return url.endsWith("/embeddings") ? url : `${url.replace(/\/+$/, "")}/embeddings`;
}
