import { deepFreeze } from "./deep_freeze.ts";

/** Options of {@linkcode EncodedJson}. */
export interface EncodedJsonOptions {
  /** Whether the value has several readers, so that it is frozen. @default {false} */
  readonly isShared?: boolean;
}

/**
 * A value as JSON text. Most such texts are sent on as they are, which takes less time and memory than to copy the
 * value between threads, to encode it again, or to keep it.
 *
 * @example
 * ```ts
 * import { EncodedJson } from "./encoded_json.ts";
 * import { assertEquals } from "@std/assert";
 * const page = new EncodedJson<{ total: number }>('{"total":3}');
 * assertEquals([page.text.length, page.value.total], [11, 3]);
 * ```
 */
export class EncodedJson<T> {
  /** The value as JSON. */
  readonly text: string;
  readonly #isShared: boolean;
  #value: T | undefined;

  /** @param text Valid JSON. */
  constructor(text: string, { isShared = false }: EncodedJsonOptions = {}) {
    this.text = text;
    this.#isShared = isShared;
  }

  /** The value, parsed when it is read for the first time. */
  get value(): T {
    if (this.#value === undefined) {
      const value = JSON.parse(this.text) as T;
      this.#value = this.#isShared ? deepFreeze(value) : value;
    }
    return this.#value;
  }
}
