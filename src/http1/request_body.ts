import type { BodyFraming } from "./body_framing.ts";
import { ChunkedDecoder } from "./chunked_decoder.ts";
import type { InputBuffer } from "./input_buffer.ts";

/** Options of {@linkcode RequestBody}. */
export interface RequestBodyOptions {
  readonly input: InputBuffer;
  readonly framing: BodyFraming;
  /** Called before the first byte is awaited. */
  readonly onFirstRead: () => Promise<void>;
  /** Called when a read begins to wait for the client, and when bytes or the end have arrived. */
  readonly onWait: (isWaiting: boolean) => void;
  /** Called when the last byte was read. */
  readonly onEnd: () => void;
}

/**
 * The body of a request. Bytes are taken from the connection only when they are read, so a slow reader slows
 * its client down.
 */
export class RequestBody {
  readonly #options: RequestBodyOptions;
  readonly #decoder: ChunkedDecoder | undefined;
  /** Bytes that have not been read; not used for a chunked body. */
  #remaining: number;
  #hasStarted = false;
  #isDetached = false;

  constructor(options: RequestBodyOptions) {
    this.#options = options;
    const { framing } = options;
    this.#decoder = framing === "chunked" ? new ChunkedDecoder() : undefined;
    this.#remaining = framing === "chunked" ? 0 : framing;
  }

  /** Whether all bytes were read. */
  get isDone(): boolean {
    return this.#decoder ? this.#decoder.isDone : this.#remaining === 0;
  }

  /**
   * Reads the next bytes; null at the end.
   *
   * @throws {Error} When the connection breaks, the response was sent, or the body is malformed.
   */
  async read(): Promise<Uint8Array<ArrayBuffer> | null> {
    const { input, onFirstRead, onWait, onEnd } = this.#options;
    while (true) {
      if (this.#isDetached) throw new Error("Cannot read a request body after the response");
      if (this.isDone) return null;
      const bytes = this.#take();
      if (this.isDone) onEnd();
      if (bytes) return bytes;
      if (this.isDone) return null;
      if (input.isEnded) throw new Error("The connection ended within the request body");
      onWait(true);
      if (!this.#hasStarted) {
        this.#hasStarted = true;
        await onFirstRead();
      }
      await input.fill();
      onWait(false);
    }
  }

  /** Returns the body as a stream without a buffer of its own. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream({
      pull: async (controller) => {
        const bytes = await this.read();
        if (bytes) controller.enqueue(bytes);
        else controller.close();
      },
    }, { highWaterMark: 0 });
  }

  /**
   * Ends reading, and drops the rest if it has arrived already.
   *
   * @returns Whether the next request follows; otherwise the connection cannot be used any more.
   */
  finish(): boolean {
    this.#isDetached = true;
    try {
      while (!this.isDone && this.#take());
    } catch {
      // Malformed chunks: the end of the body is unknown.
    }
    return this.isDone;
  }

  /** Takes bytes that have arrived. */
  #take(): Uint8Array<ArrayBuffer> | undefined {
    const { input } = this.#options;
    if (this.#decoder) return this.#decoder.decode(input);
    const count = Math.min(this.#remaining, input.available);
    if (count === 0) return undefined;
    const bytes = input.bytes.slice(input.start, input.start + count);
    input.consume(count);
    this.#remaining -= count;
    return bytes;
  }
}
