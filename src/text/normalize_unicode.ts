import { lazy } from "./lazy.ts";

/** Most combining marks in a row that stay: the number of UAX #15's Stream-Safe Text Format; no writing has more than a few. */
const MAX_MARKS = 30;
/** Combining marks, and the two half-width letters that compatibility decomposition makes combining marks of. */
const MARK = "[\\p{M}\\uff9e\\uff9f]";
const tooManyMarks = lazy(() => new RegExp(`(${MARK}{${MAX_MARKS}})${MARK}+`, "gu"));
// deno-lint-ignore no-control-regex -- all of ASCII.
const NOT_ASCII = /[^\u0000-\u007f]/;

/**
 * `text.normalize(form)` in time that grows with the text alone. Normalisation sorts each run of combining marks, and the
 * engine does so by insertion: a run of a hundred thousand would take minutes. What is beyond 30 in a run is dropped, where
 * the Stream-Safe Text Format (UAX #15 §13) would put in another character.
 *
 * @example
 * ```ts
 * import { normalizeUnicode } from "./normalize_unicode.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(normalizeUnicode("cafe\u0301", "NFC"), "café");
 * assertEquals(normalizeUnicode("q" + "\u0301".repeat(99), "NFC").length, 31);
 * ```
 */
export function normalizeUnicode(text: string, form: "NFC" | "NFKD"): string {
  return NOT_ASCII.test(text) ? text.replace(tooManyMarks(), "$1").normalize(form) : text;
}
