/** An embedding model behind an API. Plain values, because they are passed to threads. */
export interface ApiModelOptions {
  readonly type: "api";
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

/** The choice of a model that runs in this process. Its file may be missing. */
export interface BuiltinModelSettings {
  readonly type: "builtin";
  /** `builtin`, or the name of an installed model. */
  readonly model: string;
  /** Whether nothing was configured. Then stored vectors of another model do not prevent a start. */
  readonly isDefault: boolean;
  /** Whether to download the file of `builtin` if it is missing. */
  readonly mayDownload: boolean;
}

/** A model file that runs in this process. Plain values, because they are passed to threads. */
export interface BuiltinModelOptions extends BuiltinModelSettings {
  /** Name of the model, from its file. */
  readonly name: string;
  /** Path of the file. */
  readonly path: string;
  /** SHA-256 of the file, in hexadecimal. */
  readonly checksum: string;
  /** Prefix of every query. */
  readonly queryPrefix: string;
  /** Prefix of every document text. */
  readonly documentPrefix: string;
}

/** The configured embedding model. */
export type EmbeddingSettings = ApiModelOptions | BuiltinModelSettings;

/** An embedding model that can be used. */
export type EmbeddingOptions = ApiModelOptions | BuiltinModelOptions;

/** Identifies a compatible set of vectors: only vectors of the same identity can be compared. */
export interface EmbeddingIdentity {
  /** Name of the embedding model; for the built-in one with the start of its file's checksum. */
  readonly model: string;
  /** Prefix of each document's text. */
  readonly documentPrefix: string;
  /** Configured dimensions. Unset: the model's default. */
  readonly dimensions?: number | undefined;
}

/** Length of the checksum in an identity, in characters. */
const CHECKSUM_CHARS = 12;

/**
 * Returns the identity of the vectors that a model produces. The query prefix is not part of it.
 *
 * A model file is identified by its content: another file of the same name may be another model, and building
 * the same file again keeps the vectors valid.
 */
export function identityOf(options: EmbeddingOptions): EmbeddingIdentity {
  if (options.type === "api") {
    const { model, documentPrefix, dimensions } = options;
    return { model, documentPrefix, dimensions };
  }
  const { name, checksum, documentPrefix } = options;
  return { model: `${name}@${checksum.slice(0, CHECKSUM_CHARS)}`, documentPrefix };
}

/** Returns the URL that requests are posted to. */
export function endpointOf({ url }: ApiModelOptions): string {
  return url.endsWith("/embeddings") ? url : `${url.replace(/\/+$/, "")}/embeddings`;
}
