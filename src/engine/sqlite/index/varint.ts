/** Reads SQLite's varints: seven bits a byte, the high ones first; the eighth bit says that more follow, the ninth byte is whole. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  /** Where the next one begins. */
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  /** Whether there is nothing more to read. */
  get isDone(): boolean {
    return this.at >= this.#bytes.length;
  }

  next(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.at++] as number;
    if (byte < 128) return byte;
    let value = 0;
    for (let n = 0; n < 8; n++) {
      value = value * 128 + (byte & 127);
      if (byte < 128) return value;
      byte = bytes[this.at++] as number;
    }
    return value * 256 + byte;
  }
}
