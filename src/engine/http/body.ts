import { assertContentLength, BodyError, readChunks, readText } from "../../web/mod.ts";
import { HttpError } from "./errors.ts";

/** Limits on a request's body. */
export interface BodyLimits {
  /** Maximum size in bytes. */
  readonly maxBytes: number;
  /** Time for the body to arrive, in milliseconds, in addition to the time at {@linkcode MIN_BYTES_PER_MS}. */
  readonly timeoutMs: number;
  /** Aborts when the engine shuts down, which ends bodies that are still arriving. */
  readonly signal: AbortSignal;
}

/** Minimum rate (64 KiB/s): a file of any size has enough time, a client that sends one byte at a time does not. */
const MIN_BYTES_PER_MS = 64;

/**
 * Reads a body chunk by chunk, no faster than the consumer takes the chunks.
 *
 * @throws {HttpError} `too_large`, `timeout`, `shutting_down`, `unsupported_media_type`, or `invalid` for a connection
 * that broke off.
 */
export async function* readBody(
  request: Request,
  limits: BodyLimits,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  assertNotEncoded(request);
  try {
    assertContentLength(request, limits.maxBytes);
    yield* readChunks(request.body, { ...limits, minBytesPerMs: MIN_BYTES_PER_MS });
  } catch (error) {
    throw toHttpError(error, limits.maxBytes);
  }
}

/** Reads a JSON body. Checks its media type, encoding (UTF-8, RFC 8259 §8.1) and syntax. */
export async function readJson(request: Request, limits: BodyLimits): Promise<unknown> {
  const type = mediaType(request);
  if (type !== "application/json") {
    throw new HttpError(
      "unsupported_media_type",
      `Content-Type must be application/json, got ${type || "none"}`,
    );
  }
  assertNotEncoded(request);
  let text: string;
  try {
    text = await readText(request, { ...limits, minBytesPerMs: MIN_BYTES_PER_MS });
  } catch (error) {
    throw toHttpError(error, limits.maxBytes);
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HttpError("invalid", "The body must be valid JSON", { cause });
  }
}

function toHttpError(error: unknown, maxBytes: number): unknown {
  if (!(error instanceof BodyError)) return error;
  switch (error.code) {
    case "too_large":
      return tooLarge(maxBytes);
    case "timeout":
      return new HttpError("timeout", "The request's body took too long to arrive: send it again, faster");
    case "aborted":
      return shuttingDown();
    case "invalid_utf8":
      return new HttpError("invalid", "The body must be UTF-8 text", { cause: error });
    case "disconnected":
      return new HttpError("invalid", "The request's body broke off: send it again", { cause: error.cause });
  }
}

/** Returns the media type in lower case, without its parameters; "" without a Content-Type. */
export function mediaType(request: Request): string {
  return request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase().slice(0, 100) ?? "";
}

/** Returns the error of requests that arrive while the engine shuts down. */
export function shuttingDown(): HttpError {
  return new HttpError("shutting_down", "The engine is shutting down: send this again when it is back", {
    headers: { "retry-after": "2" },
  });
}

/** Returns the error of a body or file over its limit. */
export function tooLarge(maxBytes: number, what = "The request's body"): HttpError {
  return new HttpError("too_large", `${what} must be at most ${maxBytes} bytes: send less, or in parts`);
}

function assertNotEncoded(request: Request): void {
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding === "identity") return;
  throw new HttpError(
    "unsupported_media_type",
    "Content-Encoding must be identity: send the body uncompressed",
  );
}
