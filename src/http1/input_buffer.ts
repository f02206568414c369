/** Initial size in bytes: enough for the head and the body of most requests. */
const INITIAL_BYTES = 8 * 1024;
/** Maximum size in bytes: a head of maximum size fits. */
const MAX_BYTES = 64 * 1024;

/**
 * The bytes of a connection that have arrived and are not consumed yet.
 *
 * At most one read is in progress, and it may outlive the wait for it: a read that was started to notice a
 * disconnect receives the next request.
 */
export class InputBuffer {
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(INITIAL_BYTES);
  /** Offset of the first byte that has not been consumed. */
  start = 0;
  /** Offset after the last byte that has arrived. */
  end = 0;
  /** Whether the client has ended its side of the connection, or the connection broke. */
  isEnded = false;
  readonly #conn: Deno.Conn;
  readonly #onRead: () => void;
  #reading: Promise<void> | undefined;

  /** @param onRead Called after each read. */
  constructor(conn: Deno.Conn, onRead: () => void) {
    this.#conn = conn;
    this.#onRead = onRead;
  }

  /** Number of bytes that have arrived and are not consumed. */
  get available(): number {
    return this.end - this.start;
  }

  /** Whether another read is possible before bytes are consumed. */
  get hasCapacity(): boolean {
    return !this.isEnded && this.available < MAX_BYTES;
  }

  consume(count: number): void {
    this.start += count;
  }

  /** Gives memory back after a large request. */
  shrink(): void {
    if (this.available === 0 && !this.#reading) this.#resize(INITIAL_BYTES);
  }

  /** Waits for more bytes, or for the end. Joins a read in progress. */
  fill(): Promise<void> {
    return this.#reading ??= this.#read();
  }

  /** Never rejects. */
  async #read(): Promise<void> {
    this.#makeCapacity();
    const count = await this.#conn.read(this.bytes.subarray(this.end)).catch(() => null);
    this.#reading = undefined;
    if (count === null) this.isEnded = true;
    else this.end += count;
    this.#onRead();
  }

  /** Must not run during a read, or with bytes in the buffer. */
  #resize(size: number): void {
    if (size === this.bytes.byteLength) return;
    this.bytes = new Uint8Array(size);
    this.start = this.end = 0;
  }

  /** Moves or copies the bytes. Must not run during a read. */
  #makeCapacity(): void {
    const wasFilled = this.end === this.bytes.byteLength;
    if (this.start === this.end) this.start = this.end = 0;
    // A fast sender fills the buffer with each read: fewer, larger reads then.
    if (wasFilled && this.end === 0) this.#resize(Math.min(2 * this.bytes.byteLength, MAX_BYTES));
    if (this.end < this.bytes.byteLength) return;
    const target = this.start > 0 ? this.bytes : new Uint8Array(Math.min(2 * this.end, MAX_BYTES));
    target.set(this.bytes.subarray(this.start, this.end));
    this.bytes = target;
    this.end -= this.start;
    this.start = 0;
  }
}
