import { BodyError, type BodyLimits } from "./body_limits.ts";
import { SMALL_BODY_BYTES } from "./body_memory.ts";
import {
  JsonStructureScan,
  MAX_JSON_DEPTH,
  MAX_JSON_VALUES,
  UNLIMITED_JSON_BYTES,
} from "./json_structure.ts";

/**
 * Collects the chunks of a body in one buffer, which doubles as bytes arrive: a list of chunks would cost
 * hundreds of bytes for each chunk, and a sender can make chunks of one byte.
 */
export class BodyBuffer {
  readonly #limits: BodyLimits;
  #buffer = new Uint8Array(0);
  #size = 0;
  #charged = 0;
  readonly #scan: JsonStructureScan;
  #scanned = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
    const { maxJsonValues: maxValues } = limits;
    this.#scan = new JsonStructureScan(maxValues === undefined ? {} : { maxValues });
  }

  /** The bytes so far. Valid until the next call of {@linkcode append}. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#buffer.subarray(0, this.#size);
  }

  /**
   * Appends a chunk.
   *
   * @throws {BodyError} `busy` or `too_complex`.
   */
  append(chunk: Uint8Array): void {
    const size = this.#size + chunk.byteLength;
    const capacity = this.#buffer.byteLength;
    if (size > capacity) this.#grow(Math.max(size, Math.min(2 * capacity, this.#limits.maxBytes)));
    this.#buffer.set(chunk, this.#size);
    this.#size = size;
    if (this.#limits.isJson && size > UNLIMITED_JSON_BYTES) this.#inspect();
  }

  #grow(capacity: number): void {
    const missing = capacity - this.#charged;
    if (capacity > SMALL_BODY_BYTES && this.#limits.memory) {
      if (!this.#limits.memory.tryGrow(missing)) {
        throw new BodyError("busy", "Other large requests use the memory for request bodies");
      }
      this.#charged = capacity;
    }
    // Frees the old buffer at once, while `set` into a new one would leave it to the garbage collection.
    this.#buffer = new Uint8Array(this.#buffer.buffer.transfer(capacity));
  }

  #inspect(): void {
    const problem = this.#scan.push(this.#buffer.subarray(this.#scanned, this.#size));
    this.#scanned = this.#size;
    if (problem === undefined) return;
    throw new BodyError(
      "too_complex",
      problem === "an array"
        ? "The body must be one JSON object, got an array"
        : `JSON over ${UNLIMITED_JSON_BYTES / 1024} KiB must have at most ${
          this.#limits.maxJsonValues ?? MAX_JSON_VALUES
        } values and ` +
          `${MAX_JSON_DEPTH} levels of nesting`,
    );
  }
}

/**
 * Frees the memory of a large body that {@linkcode readBytes} returned, instead of leaving it to the garbage
 * collection, which runs too late under load. The bytes cannot be used afterwards.
 *
 * A small body shares its memory with others.
 */
export function freeBytes(bytes: Uint8Array<ArrayBuffer>): void {
  if (bytes.byteLength > SMALL_BODY_BYTES) bytes.buffer.transfer(0);
}
