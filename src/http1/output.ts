import { joinBytes, lengthOf, type Text } from "../text/mod.ts";
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
  async writeMessage(head: (bodyBytes: number) => string, body: Text): Promise<void> {
    if (lengthOf(body) > BUFFER_BYTES - HEAD_BYTES) return await this.#writeLarge(head, body);
    const buffer = idleBuffers.pop() ?? new Uint8Array(BUFFER_BYTES);
    try {
      const written = writeInto(buffer.subarray(HEAD_BYTES), body);
      const text = head(written ?? 0);
      if (written === undefined || text.length > HEAD_BYTES) return await this.#writeLarge(head, body);
      const start = HEAD_BYTES - text.length;
      encodeLatin1(text, buffer.subarray(start, HEAD_BYTES));
      await this.write(buffer.subarray(start, HEAD_BYTES + written));
    } finally {
      if (idleBuffers.length < MAX_IDLE_BUFFERS) idleBuffers.push(buffer);
    }
  }

  async #writeLarge(head: (bodyBytes: number) => string, body: Text): Promise<void> {
    const bytes = joinBytes(body);
    await this.writeLatin1(head(bytes.byteLength));
    await this.write(bytes);
  }
}

/** Writes a body. Returns its length in bytes; undefined if it does not fit. */
function writeInto(target: Uint8Array, body: Text): number | undefined {
  let end = 0;
  for (const part of typeof body === "string" ? [body] : body) {
    const rest = target.subarray(end);
    if (part.length > rest.length) return undefined;
    if (typeof part === "string") {
      const { read, written } = encoder.encodeInto(part, rest);
      if (read < part.length) return undefined;
      end += written;
    } else {
      rest.set(part);
      end += part.length;
    }
  }
  return end;
}

/** @param target As long as the text. */
function encodeLatin1(text: string, target: Uint8Array): void {
  // Right and fast for ASCII; other characters have several bytes, so the text does not fit.
  if (encoder.encodeInto(text, target).read === text.length) return;
  for (let i = 0; i < text.length; i++) target[i] = text.charCodeAt(i);
}
