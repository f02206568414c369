import { BodyBuffer, freeBytes } from "./body_buffer.ts";
import { BodyError, type BodyLimits, BodyWatch } from "./body_limits.ts";
import { SMALL_BODY_BYTES } from "./body_memory.ts";
import type { HttpRequest } from "./http_request.ts";

/**
 * Reads a body chunk by chunk, no faster than the consumer takes the chunks. The stream is cancelled when a
 * limit is exceeded and when the consumer stops early.
 *
 * @throws {BodyError} `too_large`, `timeout`, `aborted` or `disconnected`.
 *
 * @example
 * ```ts
 * import { readChunks } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * let size = 0;
 * for await (const chunk of readChunks(new Response("hello").body, { maxBytes: 10 })) size += chunk.byteLength;
 * assertEquals(size, 5);
 * ```
 */
export async function* readChunks(
  body: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  limits: BodyLimits,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  if (body === null) return;
  const reader = body.getReader();
  // Cancelling ends a pending read at once, whatever the source does.
  using watch = new BodyWatch(limits, () => void reader.cancel().catch(() => {}));
  let received = 0;
  try {
    while (true) {
      watch.onWaiting();
      const { done, value } = await reader.read().catch((cause) => {
        throw watch.error ?? disconnected(cause);
      });
      if (watch.error) throw watch.error;
      if (done) return;
      received += value.byteLength;
      if (received > limits.maxBytes) throw tooLarge(limits.maxBytes);
      watch.onReceived(value.byteLength);
      yield value;
    }
  } finally {
    // Not awaited: a source that never finishes cancelling must not delay the response.
    reader.cancel().catch(() => {});
  }
}

/**
 * Reads the body of a request chunk by chunk, like {@linkcode readChunks}. One that has arrived is a single chunk, and
 * costs no stream.
 *
 * @throws {BodyError} See {@linkcode readChunks}.
 */
export async function* readRequestChunks(
  request: Pick<HttpRequest, "receivedBody" | "body">,
  limits: BodyLimits,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  // Reading the property `body` creates the stream.
  const { receivedBody } = request;
  if (receivedBody === undefined) return yield* readChunks(request.body, limits);
  if (receivedBody.byteLength > limits.maxBytes) throw tooLarge(limits.maxBytes);
  if (receivedBody.byteLength > 0) yield receivedBody;
}

/**
 * Reads a whole body.
 *
 * @throws {BodyError} Any code but `invalid_utf8`. A declared size over the limit is rejected before a byte is
 * read.
 *
 * @example
 * ```ts
 * import { BodyError, readBytes } from "./mod.ts";
 * import { assertEquals, assertRejects } from "@std/assert";
 * assertEquals(await readBytes(new Response("hi"), { maxBytes: 10 }), new Uint8Array([104, 105]));
 * await assertRejects(() => readBytes(new Response("hello"), { maxBytes: 4 }), BodyError, "4 bytes");
 * ```
 */
export async function readBytes(
  message: HttpRequest | Response,
  limits: BodyLimits,
): Promise<Uint8Array<ArrayBuffer>> {
  const received = receivedBody(message);
  if (received && received.byteLength <= limits.maxBytes) return received;
  assertContentLength(message, limits.maxBytes);
  const body = new BodyBuffer(limits);
  try {
    for await (const chunk of readChunks(message.body, limits)) body.append(chunk);
    return body.bytes;
  } catch (error) {
    freeBytes(body.bytes);
    throw error;
  }
}

/** Returns a small body that arrived together with its head: nothing has to be awaited. */
function receivedBody(message: HttpRequest | Response): Uint8Array<ArrayBuffer> | undefined {
  const received = "receivedBody" in message ? message.receivedBody : undefined;
  return received && received.byteLength <= SMALL_BODY_BYTES ? received : undefined;
}

/**
 * Reads a whole body as UTF-8 text; a byte order mark is removed.
 *
 * @throws {BodyError} Like {@linkcode readBytes}, and `invalid_utf8`.
 *
 * @example
 * ```ts
 * import { readText } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(await readText(new Response("Grüezi"), { maxBytes: 10 }), "Grüezi");
 * ```
 */
export async function readText(message: HttpRequest | Response, limits: BodyLimits): Promise<string> {
  const bytes = await readBytes(message, limits);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new BodyError("invalid_utf8", "The body is not UTF-8 text", { cause });
  } finally {
    freeBytes(bytes);
  }
}

/**
 * Rejects a message whose `Content-Length` is over the limit, and cancels its body (RFC 9110 §10.1.1: a
 * client that waits for `100 Continue` sends nothing). Other sizes are only known while reading.
 *
 * @returns Whether the message has a `Content-Length`.
 * @throws {BodyError} `too_large`.
 */
export function assertContentLength(message: HttpRequest | Response, maxBytes: number): boolean {
  // Not `has`: it makes Deno copy all headers of a request.
  const declared = message.headers.get("content-length");
  if (!(Number(declared) > maxBytes)) return declared !== null;
  message.body?.cancel().catch(() => {});
  throw tooLarge(maxBytes);
}

function tooLarge(maxBytes: number): BodyError {
  return new BodyError("too_large", `The body must be at most ${maxBytes} bytes`);
}

function disconnected(cause: unknown): BodyError {
  return new BodyError("disconnected", "The body broke off", { cause });
}
