import { WRITE_PART_BYTES } from "./limits.ts";

/** Size of the buffers of small responses, in bytes. The tool list fits. */
const BUFFER_BYTES = 64 * 1024;
/** Bytes of a buffer that are kept for the head, which is formatted after the body was encoded. */
const HEAD_BYTES = 1024;
/** Maximum number of idle buffers: one for each response that is being written at the same time. */
const MAX_IDLE_BUFFERS = 32;

const encoder = new TextEncoder();
const idleBuffers: Uint8Array<ArrayBuffer>[] = [];

/** Options of {@linkcode Output}. */
export interface OutputOptions {
  /** Starts the deadline of a write. */
  readonly onWrite: () => void;
  /** Ends it. */
  readonly onWritten: () => void;
}

/** Writes to a connection, in parts that each have a deadline. */
export class Output {
  readonly #conn: Deno.Conn;
  readonly #options: OutputOptions;

  constructor(conn: Deno.Conn, options: OutputOptions) {
    this.#conn = conn;
    this.#options = options;
  }

  /** @throws {Error} When the connection is broken or was closed. */
  async write(bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    for (let start = 0; start < bytes.byteLength; start += WRITE_PART_BYTES) {
      const end = Math.min(start + WRITE_PART_BYTES, bytes.byteLength);
      this.#options.onWrite();
      for (let sent = start; sent < end;) sent += await this.#conn.write(bytes.subarray(sent, end));
      this.#options.onWritten();
    }
  }

  /** Writes text of Latin-1 characters, such as a head. */
  writeLatin1(text: string): Promise<void> {
    const bytes = new Uint8Array(text.length);
    encodeLatin1(text, bytes);
    return this.write(bytes);
  }

  /**
   * Writes a head and a body, in one write if they are small.
   *
   * @param head Formats the head for the length of the body in bytes.
   */
  async writeMessage(
    head: (bodyBytes: number) => string,
    body: string | Uint8Array<ArrayBuffer>,
  ): Promise<void> {
    if (body.length > BUFFER_BYTES - HEAD_BYTES) return await this.#writeLarge(head, body);
    const buffer = idleBuffers.pop() ?? new Uint8Array(BUFFER_BYTES);
    try {
      const { read, written } = writeInto(buffer.subarray(HEAD_BYTES), body);
      const text = head(written);
      if (read < body.length || text.length > HEAD_BYTES) return await this.#writeLarge(head, body);
      const start = HEAD_BYTES - text.length;
      encodeLatin1(text, buffer.subarray(start, HEAD_BYTES));
      await this.write(buffer.subarray(start, HEAD_BYTES + written));
    } finally {
      if (idleBuffers.length < MAX_IDLE_BUFFERS) idleBuffers.push(buffer);
    }
  }

  async #writeLarge(
    head: (bodyBytes: number) => string,
    body: string | Uint8Array<ArrayBuffer>,
  ): Promise<void> {
    const bytes = typeof body === "string" ? encoder.encode(body) : body;
    await this.writeLatin1(head(bytes.byteLength));
    await this.write(bytes);
  }
}

/** Writes the start of a body that fits, like `TextEncoder.encodeInto`. Bytes must fit. */
function writeInto(target: Uint8Array, body: string | Uint8Array): { read: number; written: number } {
  if (typeof body === "string") return encoder.encodeInto(body, target);
  target.set(body);
  return { read: body.length, written: body.length };
}

/** @param target As long as the text. */
function encodeLatin1(text: string, target: Uint8Array): void {
  // Right and fast for ASCII; other characters have several bytes, so the text does not fit.
  if (encoder.encodeInto(text, target).read === text.length) return;
  for (let i = 0; i < text.length; i++) target[i] = text.charCodeAt(i);
}
