import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { FetchError } from "./errors.ts";
import { type HttpResponse, toFetchError } from "./http_get.ts";
import { displayUrl, type FetchTarget } from "./target.ts";

/** Content codings that {@linkcode readBody} decodes. Brotli would save little, and is one more parser. */
export const ACCEPTED_ENCODINGS = "gzip";

/** Options of {@linkcode readBody}. */
export interface ReadBodyOptions {
  readonly maxBytes: number;
  /** Whether a longer body is cut. */
  readonly truncate: boolean;
  readonly signal: AbortSignal;
}

/**
 * Reads the body of a response into memory, decompressed.
 *
 * The limit holds for the declared length, the received bytes and the decompressed ones, as they arrive: a
 * body that grows a thousandfold ends at the limit.
 *
 * @throws {FetchError} `too_large`, `invalid_response` or `unreachable`
 * @throws The reason of `signal`.
 */
export async function readBody(
  target: FetchTarget,
  response: HttpResponse,
  { maxBytes, truncate, signal }: ReadBodyOptions,
): Promise<Uint8Array<ArrayBuffer>> {
  const error = truncate ? undefined : tooLarge(target, maxBytes);
  if (error && Number(response.headers.get("content-length")) > maxBytes) throw error;
  const limit = (chunks: AsyncIterable<Uint8Array>) => limited(chunks, maxBytes, error);
  try {
    const received = limit(response.body);
    return await concat(isCompressed(target, response) ? limit(gunzip(received)) : received);
  } catch (cause) {
    signal.throwIfAborted();
    if ((cause as { code?: unknown }).code?.toString().startsWith("Z_")) {
      throw invalidEncoding(target, "its gzip compression is damaged");
    }
    throw toFetchError(target, cause);
  }
}

function isCompressed(target: FetchTarget, { headers }: HttpResponse): boolean {
  const encoding = headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding === "gzip" || encoding === "x-gzip") return true;
  if (encoding === "identity" || encoding === "") return false;
  throw invalidEncoding(target, `its compression must be gzip, got ${encoding.slice(0, 40)}`);
}

/**
 * Decompresses bytes that are a gzip file, such as a `sitemap.xml.gz`; returns others unchanged.
 *
 * @throws {FetchError} `too_large` or `invalid_response`
 */
export async function gunzipFile(
  url: URL,
  bytes: Uint8Array<ArrayBuffer>,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return await concat(limited(gunzip([bytes]), maxBytes, tooLarge({ url }, maxBytes)));
  } catch (cause) {
    if (cause instanceof FetchError) throw cause;
    throw invalidEncoding({ url }, "its gzip compression is damaged");
  }
}

/** Decompresses a stream. Node's stream waits for its reader between blocks of 16 KiB, at any ratio. */
function gunzip(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const unzipped = createGunzip();
  // Its error reaches the reader of `unzipped`.
  pipeline(Readable.from(chunks, { objectMode: false }), unzipped, () => {});
  return unzipped;
}

async function* limited(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  error: FetchError | undefined,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of chunks) {
    if (bytes + chunk.length > maxBytes) {
      if (error) throw error;
      return yield chunk.subarray(0, maxBytes - bytes);
    }
    bytes += chunk.length;
    yield chunk;
  }
}

async function concat(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    length += chunk.length;
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

function tooLarge({ url }: { readonly url: URL }, maxBytes: number): FetchError {
  return new FetchError(
    "too_large",
    `Cannot fetch ${displayUrl(url)}: it must have at most ${maxBytes} bytes`,
  );
}

function invalidEncoding({ url }: { readonly url: URL }, problem: string): FetchError {
  return new FetchError("invalid_response", `Cannot fetch ${displayUrl(url)}: ${problem}`);
}
