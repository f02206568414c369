import { lazy } from "./lazy.ts";

/**
 * Maximum number of combining marks in a row: the limit of UAX #15's Stream-Safe Text Format. Real text has a
 * few.
 */
const MAX_MARKS = 30;
/** Combining marks, and the two half-width letters that NFKD converts to combining marks. */
const MARK = "[\\p{M}\\uff9e\\uff9f]";
const tooManyMarks = lazy(() => new RegExp(`(${MARK}{${MAX_MARKS}})${MARK}+`, "gu"));
// deno-lint-ignore no-control-regex -- excludes ASCII
const NOT_ASCII = /[^\u0000-\u007f]/;
/** Cheap test that rules out text with too many marks: all marks follow U+02FF. */
const MAY_HAVE_MARKS = new RegExp(`[\\u0300-\\uffff]{${MAX_MARKS + 1}}`);

/**
 * Returns `text.normalize(form)` in linear time. V8 sorts each run of combining marks by insertion, so a run
 * of a hundred thousand marks would take minutes. Marks beyond 30 in a row are dropped; the Stream-Safe Text
 * Format (UAX #15 §13) would insert a character instead.
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
  if (!NOT_ASCII.test(text)) return text;
  return (MAY_HAVE_MARKS.test(text) ? text.replace(tooManyMarks(), "$1") : text).normalize(form);
}
