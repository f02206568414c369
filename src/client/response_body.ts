import { JsonStructureScan } from "../web/mod.ts";
import type { Deadline } from "./deadline.ts";
import { LARGE_RESPONSE_BYTES, type LargeResponses } from "./large_responses.ts";
import { MAX_RESPONSE_DEPTH, type ResponseLimits } from "./response_limits.ts";

/** A response outside its limits. The message completes "responded with …". */
export class ResponseLimitError extends Error {
  override name = "ResponseLimitError";
}

/** Limits on reading a body. */
export interface ReadOptions extends ResponseLimits {
  readonly deadline: Deadline;
  readonly largeResponses: LargeResponses;
}

/** Size of the buffer for bytes from the network. Larger pieces of text would not be faster. */
const BUFFER_BYTES = 64 * 1024;

/**
 * Reads a body and parses it as JSON. A large body holds a place of {@linkcode LargeResponses} until it is
 * parsed. The stream is cancelled, and its connection closed, as soon as a limit is exceeded.
 *
 * @returns Undefined for a body that is not JSON.
 * @throws {ResponseLimitError} For a body outside the limits.
 * @throws For a body that breaks off, or does not end before the deadline.
 */
export async function readJson(response: Response, options: ReadOptions): Promise<unknown> {
  const { headers, body } = response;
  const { maxBytes, deadline, largeResponses } = options;
  try {
    const encoding = headers.get("content-encoding") ?? "identity";
    if (encoding.toLowerCase() !== "identity") {
      throw new ResponseLimitError("a compressed body, which kb-mcp does not accept.");
    }
    if (Number(headers.get("content-length")) > maxBytes) throw tooLarge(maxBytes);
  } catch (error) {
    body?.cancel().catch(() => {});
    throw error;
  }
  if (body === null) return undefined;
  const text = new BoundedText(options);
  let place: Disposable | undefined;
  try {
    for await (const bytes of pieces(body, bufferSize(headers, maxBytes), deadline)) {
      text.append(bytes);
      if (text.size > LARGE_RESPONSE_BYTES && !place) {
        place = await largeResponses.enter(deadline.signal);
        deadline.signal.throwIfAborted();
      }
    }
    return text.parse();
  } finally {
    place?.[Symbol.dispose]();
  }
}

/**
 * Reads into one buffer that is used again for each piece: memory from the network is only freed by garbage
 * collection, which runs long after a gigabyte has been received. A piece is valid until the next one.
 */
async function* pieces(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  bufferBytes: number,
  deadline: Deadline,
): AsyncGenerator<Uint8Array> {
  const reader = openReader(body, bufferBytes);
  const onAbort = () => void reader.cancel().catch(() => {});
  // Cancelling ends a pending read. A race against the deadline would keep one reaction per read in memory.
  deadline.signal.addEventListener("abort", onAbort);
  try {
    deadline.signal.throwIfAborted();
    while (true) {
      const bytes = await reader.next();
      deadline.signal.throwIfAborted();
      if (bytes === undefined) return;
      yield bytes;
    }
  } finally {
    deadline.signal.removeEventListener("abort", onAbort);
    onAbort();
  }
}

interface PieceReader {
  next(): Promise<Uint8Array | undefined>;
  cancel(): Promise<void>;
}

/** Returns a size that holds a short body of known length, or the first byte over the limit, in one piece. */
function bufferSize(headers: Headers, maxBytes: number): number {
  const declared = headers.get("content-length");
  return Math.min(declared === null ? maxBytes + 1 : Number(declared) + 1, BUFFER_BYTES);
}

function openReader(body: ReadableStream<Uint8Array<ArrayBuffer>>, bufferBytes: number): PieceReader {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: "byob" });
  } catch {
    // The body of an in-process engine is no byte stream.
    const plain = body.getReader();
    return { next: async () => (await plain.read()).value, cancel: () => plain.cancel() };
  }
  let buffer = new ArrayBuffer(bufferBytes);
  return {
    // Fills the buffer, because an engine can send its body in chunks of one byte.
    async next() {
      let size = 0;
      while (size < bufferBytes) {
        const { done, value } = await reader.read(new Uint8Array(buffer, size));
        if (value === undefined) return undefined; // cancelled
        buffer = value.buffer as ArrayBuffer;
        size += value.byteLength;
        if (done) break;
      }
      return size === 0 ? undefined : new Uint8Array(buffer, 0, size);
    },
    cancel: () => reader.cancel(),
  };
}

/** The text of a body, decoded and checked while it arrives. */
class BoundedText {
  readonly #limits: ResponseLimits;
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  readonly #scan: JsonStructureScan;
  #text = "";
  #size = 0;

  constructor(limits: ResponseLimits) {
    this.#limits = limits;
    this.#scan = new JsonStructureScan({
      maxValues: limits.maxValues,
      maxDepth: MAX_RESPONSE_DEPTH,
      allowsAnyValue: true,
    });
  }

  /** Number of bytes so far. */
  get size(): number {
    return this.#size;
  }

  /** @throws {ResponseLimitError} For too many bytes or values, and for bytes that are not UTF-8. */
  append(bytes: Uint8Array): void {
    const { maxBytes, maxValues } = this.#limits;
    this.#size += bytes.byteLength;
    if (this.#size > maxBytes) throw tooLarge(maxBytes);
    if (this.#scan.push(bytes) !== undefined) {
      throw new ResponseLimitError(
        `JSON of more than ${maxValues} values or ${MAX_RESPONSE_DEPTH} levels. Request less at once.`,
      );
    }
    this.#text += this.#decode(bytes);
  }

  /** Returns undefined for a text that is not JSON. */
  parse(): unknown {
    const text = this.#text + this.#decode();
    try {
      return JSON.parse(text);
    } catch {
      return undefined;
    }
  }

  #decode(bytes?: Uint8Array): string {
    try {
      return this.#decoder.decode(bytes, { stream: bytes !== undefined });
    } catch (cause) {
      throw new ResponseLimitError("text that is not UTF-8.", { cause });
    }
  }
}

function tooLarge(maxBytes: number): ResponseLimitError {
  return new ResponseLimitError(`more than ${maxBytes} bytes. Request less at once.`);
}
