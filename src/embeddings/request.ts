import { BodyError, readText, retryAfterMs } from "../web/mod.ts";
import { EmbeddingError } from "./errors.ts";
import { type ApiModelOptions, endpointOf } from "./options.ts";

/** Maximum size of a response in bytes, per text: 16,384 numbers at full precision. */
const MAX_RESPONSE_BYTES_PER_TEXT = 2 ** 19;
/** Maximum size of the rest of a response in bytes. */
const MAX_RESPONSE_BYTES = 2 ** 20;
/** Maximum size of an error response in bytes. */
const MAX_ERROR_BYTES = 2 ** 16;
/** Maximum length of a server's error message, in characters, that is quoted. */
const MAX_DETAIL_CHARS = 200;
/** Maximum delay that a server can request, in milliseconds. */
const MAX_RETRY_AFTER_MS = 600_000;

/** How a request is sent. */
export interface RequestContext {
  /** Timeout in milliseconds, including the body of the response. */
  readonly timeoutMs: number;
  /** Aborts the request, which then rejects with the signal's reason. */
  readonly signal: AbortSignal | undefined;
  /** Sends the request. */
  readonly fetch: typeof fetch;
}

/**
 * Sends one `POST /v1/embeddings` (https://platform.openai.com/docs/api-reference/embeddings/create), in the
 * form that Ollama, TEI, llama.cpp, vLLM and OpenAI support.
 *
 * @returns See `parseResponse`.
 * @throws {EmbeddingError}
 * @throws The reason of `signal`.
 */
export async function requestEmbeddings(
  options: ApiModelOptions,
  input: readonly string[],
  { timeoutMs, signal, fetch }: RequestContext,
): Promise<(Float32Array | null)[]> {
  signal?.throwIfAborted();
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(endpointOf(options), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        // With another value, Deno's fetch decompresses what it gets, and hides the header of the response.
        "accept-encoding": "identity",
        ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }),
      },
      body: JSON.stringify({
        model: options.model,
        input,
        encoding_format: "float",
        ...(options.dimensions === undefined ? {} : { dimensions: options.dimensions }),
      }),
      // A redirect would send the key and the texts to another server.
      redirect: "manual",
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    if (isCompressed(response)) {
      response.body?.cancel().catch(() => {});
      throw new EmbeddingError(
        "unavailable",
        "The embedding model sent a compressed response, which is not accepted",
      );
    }
    if (!response.ok) throw await toEmbeddingError(response, options);
    const maxBytes = MAX_RESPONSE_BYTES + input.length * MAX_RESPONSE_BYTES_PER_TEXT;
    const text = await readText(response, { maxBytes });
    // Loaded on demand, with zod: threads of the built-in model need neither.
    const { parseResponse } = await import("./response.ts");
    return parseResponse(text, { count: input.length, dimensions: options.dimensions });
  } catch (error) {
    signal?.throwIfAborted();
    if (timeout.aborted) {
      throw new EmbeddingError(
        "unavailable",
        `The embedding model did not respond within ${timeoutMs / 1000} s`,
        { timedOut: true },
      );
    }
    if (error instanceof EmbeddingError) throw error;
    if (error instanceof BodyError && error.code !== "disconnected") {
      throw new EmbeddingError(
        "unavailable",
        `Cannot read the response of the embedding model: ${error.message}`,
      );
    }
    throw new EmbeddingError("unavailable", `The embedding model cannot be reached at ${hostOf(options)}`, {
      cause: error,
    });
  }
}

async function toEmbeddingError(response: Response, options: ApiModelOptions): Promise<EmbeddingError> {
  const { status, headers } = response;
  const body = await readText(response, { maxBytes: MAX_ERROR_BYTES }).catch(() => undefined);
  switch (status) {
    case 401:
    case 403:
      return new EmbeddingError(
        "unauthorized",
        options.apiKey === undefined
          ? `The embedding model requires a key (${status}): set KB_EMBEDDINGS_API_KEY`
          : `The embedding model does not accept the key (${status}): check KB_EMBEDDINGS_API_KEY`,
      );
    case 400: // OpenAI, vLLM, Ollama: too long
    case 413: // TEI: too many or too long
    case 422: // TEI, FastAPI
      // The server's message may quote the text, so it is only the cause.
      return new EmbeddingError("refused", `The embedding model rejected the text (${status})`, {
        cause: serverError(body, options),
      });
    case 424: // TEI: inference failed
    case 500: // llama.cpp: too long; Ollama: the vector is NaN
      return new EmbeddingError("failed", `The embedding model failed (${status})`, {
        cause: serverError(body, options),
        retryAfterMs: boundedRetryAfter(headers),
      });
    case 404:
    case 405:
    case 410:
    case 415:
    case 501:
      return misconfiguredError(`returned ${status}${quoteMessage(body, options)}`, options);
  }
  if (status < 400) return misconfiguredError(`returned a redirect (${status})`, options);
  return new EmbeddingError(
    status === 429 ? "overloaded" : "unavailable",
    status === 429
      ? "The embedding model is overloaded, or its quota is used up (429)"
      : `The embedding model is not available (${status})`,
    { retryAfterMs: boundedRetryAfter(headers) },
  );
}

/**
 * Returns an error that requires a change of settings. `problem` completes "The embeddings API at HOST …".
 */
export function misconfiguredError(problem: string, options: ApiModelOptions): EmbeddingError {
  return new EmbeddingError(
    "misconfigured",
    `The embeddings API at ${hostOf(options)} ${problem}: check KB_EMBEDDINGS_URL (most end in /v1) and ` +
      `KB_EMBEDDINGS_MODEL, which is ${JSON.stringify(options.model)}`,
  );
}

function hostOf(options: ApiModelOptions): string {
  return new URL(endpointOf(options)).host;
}

function quoteMessage(body: string | undefined, options: ApiModelOptions): string {
  const error = serverError(body, options);
  return error === undefined ? "" : ` (${error.message})`;
}

/** Parses the error message of a server: on one line, truncated, and with the key masked. */
function serverError(body: string | undefined, { apiKey }: ApiModelOptions): Error | undefined {
  let message: unknown;
  try {
    const parsed = JSON.parse(body ?? "");
    message = parsed?.error?.message ?? parsed?.error ?? parsed?.message ?? parsed?.detail;
  } catch {
    return undefined;
  }
  if (typeof message !== "string" || message === "") return undefined;
  const clean = apiKey === undefined ? message : message.replaceAll(apiKey, "***");
  return new Error(clean.replace(/[\p{C}\s]+/gu, " ").slice(0, MAX_DETAIL_CHARS));
}

/** A small compressed body may hold gigabytes. */
function isCompressed({ headers }: Response): boolean {
  return !/^(?:identity)?$/i.test(headers.get("content-encoding") ?? "");
}

function boundedRetryAfter(headers: Headers): number | undefined {
  const ms = retryAfterMs(headers);
  return ms === undefined ? undefined : Math.min(ms, MAX_RETRY_AFTER_MS);
}
