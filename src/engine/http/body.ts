import {
  type BodyLimits,
  type BodyMemory,
  type BodyParser,
  type HttpRequest,
  MIN_BYTES_PER_MS,
  readBytes,
} from "../../web/mod.ts";
import { HttpError } from "./errors.ts";

/**
 * Maximum size of a JSON body in bytes. A note of maximum length fits, even if every character is escaped.
 */
const MAX_JSON_BYTES = 8 * 2 ** 20;

/** Limits of a JSON body. */
export interface JsonBodyLimits {
  readonly maxBytes: number;
  /** Maximum number of values in a large body. */
  readonly maxValues?: number;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Limits of the wait for a request body. */
export interface BodyOptions {
  /** Timeout in milliseconds, extended for large bodies. */
  readonly timeoutMs: number;
  /** Aborts when the engine shuts down. */
  readonly signal: AbortSignal;
  /** Memory that large bodies are charged to. Undefined: not limited. */
  readonly memory?: BodyMemory;
}

/** Returns the limits for reading a body. */
export function bodyLimits({ timeoutMs, signal, memory }: BodyOptions, maxBytes: number): BodyLimits {
  return { maxBytes, timeoutMs, minBytesPerMs: MIN_BYTES_PER_MS, signal, ...(memory && { memory }) };
}

/**
 * Reads a JSON body.
 *
 * @throws {HttpError} `unsupported_media_type`, or `invalid` for malformed JSON.
 * @throws {BodyError} See {@linkcode readBytes}.
 */
export async function readJson(
  request: HttpRequest,
  parser: BodyParser,
  options: BodyOptions,
  { maxBytes, maxValues }: JsonBodyLimits = { maxBytes: MAX_JSON_BYTES },
): Promise<unknown> {
  assertNotCompressed(request);
  const type = request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase().slice(0, 100);
  if (type !== "application/json") {
    throw new HttpError(
      "unsupported_media_type",
      `Content-Type must be application/json, got ${type || "none"}`,
    );
  }
  const bytes = await readBytes(request, {
    ...bodyLimits(options, maxBytes),
    isJson: true,
    ...(maxValues !== undefined && { maxJsonValues: maxValues }),
  });
  return await parser.parse(bytes, parseJson);
}

function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch (cause) {
    throw new HttpError("invalid", "The body must be UTF-8 text", { cause });
  }
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
