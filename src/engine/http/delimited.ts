import { HttpError } from "./errors.ts";

/** Horspool's search: the byte sequence, and how far one may step when a byte stands under its last one. */
export class Needle {
  readonly bytes: Uint8Array;
  readonly #step = new Uint16Array(256);

  /** @param bytes 1 to 65,535 bytes. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.#step.fill(bytes.length);
    for (let i = 0; i < bytes.length - 1; i++) this.#step[bytes[i]!] = bytes.length - 1 - i;
  }

  /** Index of the first occurrence, or -1. */
  indexIn(hay: Uint8Array): number {
    const { bytes } = this;
    const last = bytes.length - 1;
    for (let at = 0; at + last < hay.length; at += this.#step[hay[at + last]!]!) {
      let i = last;
      while (i >= 0 && hay[at + i] === bytes[i]) i--;
      if (i < 0) return at;
    }
    return -1;
  }
}

/**
 * Reads byte sequences that end in delimiters from a stream whose pieces may be cut anywhere, holding back no more
 * than a piece and a delimiter.
 */
export class DelimitedReader {
  readonly #source: AsyncIterator<Uint8Array>;
  #buffer: Uint8Array;

  /** @param first Bytes that count as the start of the stream. */
  constructor(source: AsyncIterable<Uint8Array>, first: Uint8Array) {
    this.#source = source[Symbol.asyncIterator]();
    this.#buffer = first;
  }

  /**
   * The bytes up to a delimiter, which is consumed too, at once.
   *
   * @param max Most bytes before the delimiter; more are refused as `tooLong`.
   */
  async readUntil(needle: Needle, max: number, tooLong: () => HttpError): Promise<Uint8Array> {
    for (;;) {
      const at = needle.indexIn(this.#buffer);
      if ((at < 0 ? this.#buffer.length - needle.bytes.length + 1 : at) > max) throw tooLong();
      if (at >= 0) return this.#consume(at, needle.bytes.length);
      await this.#fill();
    }
  }

  /** The bytes up to a delimiter, which is consumed too, in pieces as they come. */
  async *piecesUntil(needle: Needle): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = needle.indexIn(this.#buffer);
      if (at >= 0) {
        if (at > 0) yield this.#consume(at, needle.bytes.length);
        else this.#consume(0, needle.bytes.length);
        return;
      }
      // The tail may be the start of a delimiter; what stands before it cannot be.
      const safe = this.#buffer.length - needle.bytes.length + 1;
      if (safe > 0) yield this.#consume(safe, 0);
      await this.#fill();
    }
  }

  /** The next bytes without consuming them; fewer only at the end of the stream. */
  async peek(count: number): Promise<Uint8Array> {
    while (this.#buffer.length < count && await this.#pull());
    return this.#buffer.subarray(0, count);
  }

  /** Reads to the end, of which no more than `max` bytes are accepted. */
  async drain(max: number, tooLong: () => HttpError): Promise<void> {
    let seen = 0;
    do {
      seen += this.#buffer.length;
      if (seen > max) throw tooLong();
      this.#buffer = new Uint8Array();
    } while (await this.#pull());
  }

  /** Gives the stream up, wherever it is. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }

  #consume(count: number, delimiter: number): Uint8Array {
    const bytes = this.#buffer.subarray(0, count);
    this.#buffer = this.#buffer.subarray(count + delimiter);
    return bytes;
  }

  async #fill(): Promise<void> {
    if (await this.#pull()) return;
    throw new HttpError("invalid", "The multipart body ends before its closing boundary: it is truncated");
  }

  /** Appends the next piece. Bytes already handed out are never moved or overwritten. */
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
