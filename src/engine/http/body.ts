import { HttpError } from "./errors.ts";

/** How much body is read, and for how long. */
export interface BodyLimits {
  /** Most bytes. */
  readonly maxBytes: number;
  /** Time for the body to arrive, in milliseconds, beside what {@linkcode MIN_BYTES_PER_MS} grants to a large one. */
  readonly timeoutMs: number;
  /** Aborted when the engine shuts down: a body that is still coming is not waited for. */
  readonly signal: AbortSignal;
}

/**
 * Slowest rate at which a large body may come (64 KiB/s): each byte received moves the deadline. So a file of any
 * size has time enough, and a client that feeds one byte at a time does not.
 */
const MIN_BYTES_PER_MS = 64;

/**
 * The body in pieces, as they come, only as fast as they are taken.
 *
 * @throws {HttpError} `too_large`, `timeout`, `shutting_down`, or `invalid` for a connection that broke off.
 */
export async function* readBody(
  request: Request,
  limits: BodyLimits,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  refuseEncoded(request);
  // Announced sizes are refused before a byte is read (RFC 9110 §10.1.1); unannounced ones while reading.
  if (Number(request.headers.get("content-length") ?? 0) > limits.maxBytes) throw tooLarge(limits.maxBytes);
  if (!request.body) return;
  const reader = request.body.getReader();
  using watch = watchReader(reader, limits);
  let received = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause) => {
        throw watch.reason ??
          new HttpError("invalid", "The request's body broke off: send it again", { cause });
      });
      if (watch.reason) throw watch.reason;
      if (done) return;
      received += value.byteLength;
      if (received > limits.maxBytes) throw tooLarge(limits.maxBytes);
      watch.extend(value.byteLength / MIN_BYTES_PER_MS);
      yield value;
    }
  } finally {
    // Also when the consumer stops early. Not awaited: a stream that hangs must not hold up the answer.
    reader.cancel().catch(() => {});
  }
}

/** Cancels the reader, which ends a pending read at once, when the deadline passes or the engine shuts down. */
function watchReader(reader: ReadableStreamDefaultReader, limits: BodyLimits) {
  let reason: HttpError | undefined;
  let deadline = performance.now() + limits.timeoutMs;
  let timer: ReturnType<typeof setTimeout>;
  const stop = (why: HttpError) => {
    reason ??= why;
    reader.cancel().catch(() => {});
  };
  const check = () => {
    const left = deadline - performance.now();
    if (left > 0) timer = setTimeout(check, left);
    else stop(new HttpError("timeout", "The request's body took too long to arrive: send it again, faster"));
  };
  const onAbort = () => stop(shuttingDown());
  check();
  if (limits.signal.aborted) onAbort();
  else limits.signal.addEventListener("abort", onAbort);
  return {
    get reason() {
      return reason;
    },
    extend(ms: number) {
      deadline += ms;
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
      limits.signal.removeEventListener("abort", onAbort);
    },
  };
}

/** Reads a JSON body: its media type, UTF-8 (RFC 8259 §8.1) and syntax are checked. */
export async function readJson(request: Request, limits: BodyLimits): Promise<unknown> {
  const type = mediaType(request);
  if (type !== "application/json") {
    throw new HttpError(
      "unsupported_media_type",
      `Content-Type must be application/json, got ${type || "none"}`,
    );
  }
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  try {
    for await (const piece of readBody(request, limits)) text += decoder.decode(piece, { stream: true });
    return JSON.parse(text + decoder.decode());
  } catch (cause) {
    if (cause instanceof TypeError) throw new HttpError("invalid", "The body must be UTF-8 text", { cause });
    if (cause instanceof SyntaxError) {
      throw new HttpError("invalid", "The body must be valid JSON", { cause });
    }
    throw cause;
  }
}

/** The media type without its parameters, in lower case; "" when there is none. */
export function mediaType(request: Request): string {
  return request.headers.get("content-type")?.split(";", 1)[0]?.trim().toLowerCase().slice(0, 100) ?? "";
}

/** The refusal of everything that comes while the engine closes. */
export function shuttingDown(): HttpError {
  return new HttpError("shutting_down", "The engine is shutting down: send this again when it is back", {
    headers: { "retry-after": "2" },
  });
}

/** The refusal of a body or file beyond a limit. */
export function tooLarge(maxBytes: number, what = "The request's body"): HttpError {
  return new HttpError("too_large", `${what} must be at most ${maxBytes} bytes: send less, or in parts`);
}

function refuseEncoded(request: Request): void {
  const encoding = request.headers.get("content-encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding === "identity") return;
  throw new HttpError(
    "unsupported_media_type",
    "Content-Encoding must be identity: send the body uncompressed",
  );
}
