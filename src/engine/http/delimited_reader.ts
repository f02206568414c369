import { HttpError } from "./errors.ts";

/** A byte sequence to search for, with the shift table of Horspool's algorithm. */
export class Delimiter {
  readonly bytes: Uint8Array;
  /** For each byte: how far to shift if it is aligned with the last byte of the delimiter. */
  readonly #shifts = new Uint16Array(256);

  /** @param bytes 1 to 65,535 bytes. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#shifts.fill(bytes.length);
    for (let i = 0; i < bytes.length - 1; i++) this.#shifts[bytes[i]!] = bytes.length - 1 - i;
  }

  /** Returns the index of the first occurrence, or -1. */
  indexIn(buffer: Uint8Array): number {
    const { bytes } = this;
    const last = bytes.length - 1;
    for (let at = 0; at + last < buffer.length; at += this.#shifts[buffer[at + last]!]!) {
      let i = last;
      while (i >= 0 && buffer[at + i] === bytes[i]) i--;
      if (i < 0) return at;
    }
    return -1;
  }
}

/** Reads delimited byte sequences from a stream of chunks. Buffers at most one chunk and one delimiter. */
export class DelimitedReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #buffer: Uint8Array;

  /** @param prefix Bytes to read before those of the source. */
  constructor(source: AsyncIterable<Uint8Array>, prefix: Uint8Array) {
    this.#source = source[Symbol.asyncIterator]();
    this.#buffer = prefix;
  }

  /**
   * Returns the bytes up to a delimiter, and consumes both.
   *
   * @param maxBytes Maximum number of bytes before the delimiter.
   * @param tooLong Creates the error for more bytes.
   */
  async readUntil(delimiter: Delimiter, maxBytes: number, tooLong: () => HttpError): Promise<Uint8Array> {
    while (true) {
      const at = delimiter.indexIn(this.#buffer);
      if ((at < 0 ? this.#buffer.length - delimiter.bytes.length + 1 : at) > maxBytes) throw tooLong();
      if (at >= 0) return this.#consume(at, delimiter.bytes.length);
      await this.#fill();
    }
  }

  /** Yields the bytes up to a delimiter in chunks, as they arrive, and consumes the delimiter. */
  async *chunksUntil(delimiter: Delimiter): AsyncGenerator<Uint8Array> {
    while (true) {
      const at = delimiter.indexIn(this.#buffer);
      if (at >= 0) {
        const rest = this.#consume(at, delimiter.bytes.length);
        if (rest.length > 0) yield rest;
        return;
      }
      // The last bytes may be the start of a delimiter.
      const safeLength = this.#buffer.length - delimiter.bytes.length + 1;
      if (safeLength > 0) yield this.#consume(safeLength, 0);
      await this.#fill();
    }
  }

  /** Returns the next bytes without consuming them; fewer at the end of the stream. */
  async peek(count: number): Promise<Uint8Array> {
    while (this.#buffer.length < count && await this.#pull());
    return this.#buffer.subarray(0, count);
  }

  /** Reads and drops the rest of the stream. */
  async skipToEnd(maxBytes: number, tooLong: () => HttpError): Promise<void> {
    let skipped = 0;
    do {
      skipped += this.#buffer.length;
      if (skipped > maxBytes) throw tooLong();
      this.#buffer = new Uint8Array();
    } while (await this.#pull());
  }

  /** Closes the source. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }

  #consume(count: number, delimiterLength: number): Uint8Array {
    const bytes = this.#buffer.subarray(0, count);
    this.#buffer = this.#buffer.subarray(count + delimiterLength);
    return bytes;
  }

  async #fill(): Promise<void> {
    if (await this.#pull()) return;
    throw new HttpError("invalid", "The multipart body is truncated: it ends before its closing boundary");
  }

  /** Appends the next chunk. Does not modify bytes that were already returned. */
  async #pull(): Promise<boolean> {
    const { done, value } = await this.#source.next();
    if (done) return false;
    if (this.#buffer.length === 0) this.#buffer = value;
    else {
      const joined = new Uint8Array(this.#buffer.length + value.length);
      joined.set(this.#buffer);
      joined.set(value, this.#buffer.length);
      this.#buffer = joined;
    }
    return true;
  }
}
