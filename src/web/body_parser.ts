import { freeBytes } from "./body_buffer.ts";

/** Size in bytes from which parsing a body delays other requests. */
const LARGE_BODY_BYTES = 64 * 1024;

/**
 * Parses bodies: small ones at once, large ones one after the other. After each large body other requests get
 * as long as it took, so large bodies take at most half of the time, however many wait.
 *
 * @example
 * ```ts
 * import { BodyParser } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const parser = new BodyParser();
 * const parse = (bytes: Uint8Array) => JSON.parse(new TextDecoder().decode(bytes));
 * assertEquals(await parser.parse(new TextEncoder().encode("[1]"), parse), [1]);
 * ```
 */
export class BodyParser {
  #previous: Promise<unknown> = Promise.resolve();
  /** When the next large body may be parsed, on the clock of `performance.now`. */
  #notBefore = 0;

  /**
   * Calls `parse` and returns its result, or throws what it throws.
   *
   * @param bytes From {@linkcode readBytes}. Cannot be used afterwards.
   */
  parse<Value>(
    bytes: Uint8Array<ArrayBuffer>,
    parse: (bytes: Uint8Array<ArrayBuffer>) => Value,
  ): Value | Promise<Value> {
    if (bytes.byteLength <= LARGE_BODY_BYTES) return parse(bytes);
    const result = this.#previous.then(() => this.#parsePaced(bytes, parse));
    this.#previous = result.catch(() => {});
    return result;
  }

  async #parsePaced<Value>(
    bytes: Uint8Array<ArrayBuffer>,
    parse: (bytes: Uint8Array<ArrayBuffer>) => Value,
  ): Promise<Value> {
    const delayMs = this.#notBefore - performance.now();
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    const startedAt = performance.now();
    try {
      return parse(bytes);
    } finally {
      freeBytes(bytes);
      this.#notBefore = 2 * performance.now() - startedAt;
    }
  }
}
