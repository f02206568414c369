import { readAnswer } from "./answer.ts";
import { EmbeddingError } from "./errors.ts";
import { type EmbeddingOptions, endpointOf } from "./options.ts";

/** Largest answer, in bytes: for each text 16,384 numbers written out in full, and room for the rest. */
const MAX_ANSWER_BYTES_PER_TEXT = 2 ** 19;
const MAX_ANSWER_BYTES = 2 ** 20;
/** Most bytes of a refusal that are read. */
const MAX_REFUSAL_BYTES = 2 ** 16;
/** Most characters of a server's own words that are repeated. */
const MAX_DETAIL = 200;
/** Longest pause that a server may ask for, in milliseconds. */
const MAX_RETRY_AFTER_MS = 600_000;

/** How one request is made. */
export interface RequestContext {
  /** Time that it may take, in milliseconds, its answer included. */
  readonly timeoutMs: number;
  /** Ends it early; it then rejects with the signal's reason. */
  readonly signal: AbortSignal | undefined;
  /** What sends it. */
  readonly fetch: typeof fetch;
}

/**
 * One `POST /v1/embeddings` (https://platform.openai.com/docs/api-reference/embeddings/create), as Ollama, TEI, llama.cpp,
 * vLLM and OpenAI understand it.
 *
 * @returns See {@linkcode readAnswer}.
 * @throws {EmbeddingError}
 */
export async function requestEmbeddings(
  options: EmbeddingOptions,
  input: readonly string[],
  { timeoutMs, signal, fetch }: RequestContext,
): Promise<(Float32Array | null)[]> {
  signal?.throwIfAborted();
  const ended = new AbortController();
  const onAbort = () => ended.abort();
  signal?.addEventListener("abort", onAbort);
  let timedOut = false;
  const timer = setTimeout(() => {
    timedOut = true;
    ended.abort();
  }, timeoutMs);
  try {
    const response = await fetch(endpointOf(options), {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json",
        ...(options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` }),
      },
      body: JSON.stringify({
        model: options.model,
        input,
        encoding_format: "float",
        ...(options.dimensions === undefined ? {} : { dimensions: options.dimensions }),
      }),
      // A redirect would carry the key and the texts to somewhere else.
      redirect: "manual",
      signal: ended.signal,
    });
    if (!response.ok) throw await refusal(response, options);
    const limit = MAX_ANSWER_BYTES + input.length * MAX_ANSWER_BYTES_PER_TEXT;
    const text = await readText(response, limit);
    if (text === undefined) {
      throw new EmbeddingError("unavailable", `The embedding model answered more than ${limit} bytes`);
    }
    return readAnswer(text, input.length, options.dimensions);
  } catch (error) {
    signal?.throwIfAborted();
    if (timedOut) {
      throw new EmbeddingError(
        "unavailable",
        `The embedding model did not answer within ${timeoutMs / 1000} s`,
        {
          timedOut,
        },
      );
    }
    if (error instanceof EmbeddingError) throw error;
    throw new EmbeddingError("unavailable", `The embedding model cannot be reached at ${hostOf(options)}`, {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

async function refusal(response: Response, options: EmbeddingOptions): Promise<EmbeddingError> {
  const { status, headers } = response;
  const body = await readText(response, MAX_REFUSAL_BYTES);
  switch (status) {
    case 401:
    case 403:
      return new EmbeddingError(
        "unauthorized",
        options.apiKey === undefined
          ? `The embedding model wants a key (${status}): set KB_EMBEDDINGS_API_KEY`
          : `The embedding model does not accept the key (${status}): check KB_EMBEDDINGS_API_KEY`,
      );
    case 400: // OpenAI, vLLM, Ollama: too long
    case 413: // TEI: too many or too long
    case 422: // TEI, FastAPI
      // Not in the server's words, which may repeat the text.
      return new EmbeddingError("refused", `The embedding model refused the text (${status})`, {
        cause: ownWords(body, options),
      });
    case 424: // TEI: inference failed
    case 500: // llama.cpp: too long; Ollama: the vector is NaN
      return new EmbeddingError("failed", `The embedding model failed (${status})`, {
        cause: ownWords(body, options),
        retryAfterMs: retryAfter(headers),
      });
    case 404:
    case 405:
    case 410:
    case 415:
    case 501:
      return misconfigured(`answered ${status}${quoted(body, options)}`, options);
  }
  if (status < 400) return misconfigured(`answered ${status}, which leads elsewhere`, options);
  return new EmbeddingError(
    status === 429 ? "overloaded" : "unavailable",
    status === 429
      ? "The embedding model is overloaded, or its quota is used up (429)"
      : `The embedding model is not available (${status})`,
    { retryAfterMs: retryAfter(headers) },
  );
}

/** An error that stays until a setting is changed. `what` completes "The embeddings API at HOST …". */
export function misconfigured(what: string, options: EmbeddingOptions): EmbeddingError {
  return new EmbeddingError(
    "misconfigured",
    `The embeddings API at ${hostOf(options)} ${what}: check KB_EMBEDDINGS_URL (most end in /v1) and ` +
      `KB_EMBEDDINGS_MODEL, which is ${JSON.stringify(options.model)}`,
  );
}

function hostOf(options: EmbeddingOptions): string {
  return new URL(endpointOf(options)).host;
}

function quoted(body: string | undefined, options: EmbeddingOptions): string {
  const words = ownWords(body, options);
  return words === undefined ? "" : ` (${words.message})`;
}

/** What the server says of its refusal, on one line, and without the key that it may repeat. */
function ownWords(body: string | undefined, { apiKey }: EmbeddingOptions): Error | undefined {
  let message: unknown;
  try {
    const parsed = JSON.parse(body ?? "");
    message = parsed?.error?.message ?? parsed?.error ?? parsed?.message ?? parsed?.detail;
  } catch {
    return undefined;
  }
  if (typeof message !== "string" || message === "") return undefined;
  const clean = apiKey === undefined ? message : message.replaceAll(apiKey, "***");
  return new Error(clean.replace(/[\p{C}\s]+/gu, " ").slice(0, MAX_DETAIL));
}

/** `Retry-After` (RFC 9110, 10.2.3) in milliseconds: seconds, or a date. */
function retryAfter(headers: Headers): number | undefined {
  const value = headers.get("retry-after")?.trim();
  if (!value) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS) : undefined;
}

/** A body as text; undefined when it has more than `maxBytes`. */
async function readText(response: Response, maxBytes: number): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const bytes of response.body ?? []) {
    size += bytes.byteLength;
    if (size > maxBytes) return undefined;
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}
