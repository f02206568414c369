const decoder = new TextDecoder();

/**
 * A value as JSON in UTF-8. Most are sent on as they are, which takes less time and memory than to copy the value
 * between threads and to encode it again.
 *
 * @example
 * ```ts
 * import { EncodedJson } from "./encoded_json.ts";
 * import { assertEquals } from "@std/assert";
 * const page = new EncodedJson<{ total: number }>(new TextEncoder().encode('{"total":3}'));
 * assertEquals([page.bytes.length, page.value.total], [11, 3]);
 * ```
 */
export class EncodedJson<T> {
  /** The value as JSON. */
  readonly bytes: Uint8Array<ArrayBuffer>;

  /** @param bytes Valid JSON. */
  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.bytes = bytes;
  }

  /** The value, parsed at each access. */
  get value(): T {
    return JSON.parse(decoder.decode(this.bytes));
  }
}
