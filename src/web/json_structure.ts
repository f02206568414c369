/*
 * Threat: JSON that is small as text and large as values. Eight megabytes of tiny values take seconds to
 * parse and a gigabyte of heap; one string of that size takes milliseconds.
 */

/** Maximum size in bytes of a JSON text whose structure is not limited. */
export const UNLIMITED_JSON_BYTES = 64 * 1024;
/** Maximum number of values in a larger JSON text: braces, brackets and commas. */
export const MAX_JSON_VALUES = 10_000;
/** Maximum nesting depth of a larger JSON text. */
export const MAX_JSON_DEPTH = 64;

const OPEN_BRACE = 0x7b;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACE = 0x7d;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/** Limits on a JSON text. */
export interface JsonLimits {
  /**
   * Maximum number of values: braces, brackets and commas.
   *
   * @default {10_000}
   */
  readonly maxValues?: number;
  /**
   * Maximum nesting depth.
   *
   * @default {64}
   */
  readonly maxDepth?: number;
  /**
   * Whether the text may be an array or a single value, instead of an object.
   *
   * @default {false}
   */
  readonly allowsAnyValue?: boolean;
}

/**
 * Counts the values and levels of a JSON text while it arrives, without parsing it. The text may be invalid
 * JSON: a parser has to reject that. An array is reported at once: no request is one.
 *
 * @example
 * ```ts
 * import { JsonStructureScan } from "./json_structure.ts";
 * import { assertEquals } from "@std/assert";
 * const scan = new JsonStructureScan();
 * assertEquals(scan.push(new TextEncoder().encode('{"a": "[[[')), undefined);
 * assertEquals(scan.push(new TextEncoder().encode(`", "b": ${"[".repeat(64)}`)), "too complex");
 * ```
 */
export class JsonStructureScan {
  readonly #maxValues: number;
  readonly #maxDepth: number;
  #values = 0;
  #depth = 0;
  #hasBegun: boolean;
  #isInString = false;
  /** Whether a backslash was the last byte: it escapes the next one. */
  #isEscaped = false;

  constructor(
    { maxValues = MAX_JSON_VALUES, maxDepth = MAX_JSON_DEPTH, allowsAnyValue = false }: JsonLimits = {},
  ) {
    this.#maxValues = maxValues;
    this.#maxDepth = maxDepth;
    this.#hasBegun = allowsAnyValue;
  }

  /** Scans the next bytes. Returns what is wrong with the text so far. */
  push(bytes: Uint8Array): "an array" | "too complex" | undefined {
    let i = 0;
    if (!this.#hasBegun) {
      while (i < bytes.length && bytes[i]! <= SPACE) i++;
      if (i === bytes.length) return undefined;
      if (bytes[i] === OPEN_BRACKET) return "an array";
      this.#hasBegun = true;
    }
    // Local copies: fields would take three times as long.
    const maxValues = this.#maxValues;
    const maxDepth = this.#maxDepth;
    let values = this.#values;
    let depth = this.#depth;
    let isInString = this.#isInString;
    if (this.#isEscaped && i < bytes.length) {
      this.#isEscaped = false;
      i++;
    }
    for (; i < bytes.length; i++) {
      const byte = bytes[i];
      if (isInString) {
        if (byte === QUOTE) isInString = false;
        else if (byte === BACKSLASH && ++i === bytes.length) this.#isEscaped = true;
      } else if (byte === QUOTE) isInString = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        values++;
        if (++depth > maxDepth) return "too complex";
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--;
      else if (byte === COMMA && ++values > maxValues) return "too complex";
    }
    this.#values = values;
    this.#depth = depth;
    this.#isInString = isInString;
    return values > maxValues ? "too complex" : undefined;
  }
}
