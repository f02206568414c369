import { createHash } from "node:crypto";
import { ModelError } from "./errors.ts";

/** Time without any bytes after which a transfer fails, in milliseconds. */
const IDLE_TIMEOUT_MS = 30_000;

/** Options of {@linkcode download}. */
export interface DownloadOptions {
  /** Expected content. */
  readonly sha256: string;
  readonly maxBytes: number;
  /** Cancels the transfer. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the number of bytes so far. */
  readonly onProgress?: (bytes: number) => void;
  /** @default {globalThis.fetch} */
  readonly fetch?: typeof globalThis.fetch;
  /** Time without any bytes after which the transfer fails, in milliseconds. @default {30_000} */
  readonly idleTimeoutMs?: number;
}

/**
 * Downloads a file over HTTP to a new path and verifies its SHA-256.
 *
 * The file is written as it arrives, and may be incomplete if this rejects: write to a temporary folder.
 *
 * @throws {ModelError} `unreachable` or `wrong_checksum`.
 * @throws The reason of `signal`; the error of the disk.
 */
export async function download(
  url: string,
  path: string,
  { sha256, maxBytes, signal, onProgress, fetch = globalThis.fetch, idleTimeoutMs = IDLE_TIMEOUT_MS }:
    DownloadOptions,
): Promise<void> {
  using idle = new IdleTimeout(idleTimeoutMs);
  const signals = signal ? [signal, idle.signal] : [idle.signal];
  using file = await Deno.open(path, { write: true, createNew: true });
  const hash = createHash("sha256");
  let bytes = 0;
  const chunks = receive(url, fetch, AbortSignal.any(signals));
  for (;;) {
    const chunk = await nextChunk(chunks, url, signal);
    if (chunk === undefined) break;
    idle.restart();
    bytes += chunk.length;
    if (bytes > maxBytes) {
      await chunks.return();
      throw new ModelError("wrong_checksum", `${url} must have at most ${maxBytes} bytes`);
    }
    hash.update(chunk);
    for (let written = 0; written < chunk.length;) written += await file.write(chunk.subarray(written));
    onProgress?.(bytes);
  }
  const actual = hash.digest("hex");
  if (actual === sha256) return;
  throw new ModelError("wrong_checksum", `The SHA-256 of ${url} must be ${sha256}, got ${actual}`);
}

/** Yields the body of the response to a GET. Follows redirects: the content is verified, wherever it comes from. */
async function* receive(
  url: string,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const response = await fetch(url, { signal });
  if (!response.ok || !response.body) {
    await response.body?.cancel();
    throw new Error(`HTTP status ${response.status}`);
  }
  yield* response.body;
}

/** Returns the next chunk; undefined at the end. */
async function nextChunk(
  chunks: AsyncGenerator<Uint8Array, void>,
  url: string,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  try {
    const { value } = await chunks.next();
    return value ?? undefined;
  } catch (cause) {
    signal?.throwIfAborted();
    throw new ModelError("unreachable", `Cannot download ${url}: ${reasonOf(cause)}`, { cause });
  }
}

/** Returns the message of an error; that of `fetch` has its reason in the cause, after the URL. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message } = error.cause instanceof Error ? error.cause : error;
  return message.replace(/^error sending request for url \(\S*\): /, "");
}

/** Aborts its signal when it is not restarted in time. */
class IdleTimeout implements Disposable {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    clearTimeout(this.#timer);
    const error = new Error(`no data within ${this.#timeoutMs} ms`);
    this.#timer = setTimeout(() => this.#controller.abort(error), this.#timeoutMs);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
