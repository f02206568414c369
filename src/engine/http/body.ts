import { type BodyLimits, type HttpRequest, readText } from "../../web/mod.ts";
import { HttpError } from "./errors.ts";

/**
 * Maximum size of a JSON body in bytes. A note of maximum length fits, even if every character is escaped.
 */
const MAX_JSON_BYTES = 8 * 2 ** 20;
/**
 * A large body gets one second more per 64 KiB received, so that slow connections can upload files of any
 * size.
 */
const MIN_BYTES_PER_MS = 64;

/** Limits of the wait for a request body. */
export interface BodyOptions {
  /** Timeout in milliseconds, extended for large bodies. */
  readonly timeoutMs: number;
  /** Aborts when the engine shuts down. */
  readonly signal: AbortSignal;
}

/** Returns the limits for reading a body. */
export function bodyLimits({ timeoutMs, signal }: BodyOptions, maxBytes: number): BodyLimits {
  return { maxBytes, timeoutMs, minBytesPerMs: MIN_BYTES_PER_MS, signal };
}

/**
 * Reads a JSON body.
 *
 * @throws {HttpError} `unsupported_media_type`, or `invalid` for malformed JSON.
 * @throws {BodyError} See {@linkcode readText}.
 */
export async function readJson(request: HttpRequest, options: BodyOptions): Promise<unknown> {
  assertNotCompressed(request);
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase().slice(0, 100);
  if (type !== "application/json") {
    throw new HttpError(
      "unsupported_media_type",
      `Content-Type must be application/json, got ${type || "none"}`,
    );
  }
  const text = await readText(request, bodyLimits(options, MAX_JSON_BYTES));
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HttpError("invalid", "The body must be valid JSON", { cause });
  }
}

/** @throws {HttpError} `unsupported_media_type` for a compressed body. */
export function assertNotCompressed(request: HttpRequest): void {
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding === "identity") return;
  throw new HttpError(
    "unsupported_media_type",
    "Content-Encoding must be identity: send the body uncompressed",
  );
}
