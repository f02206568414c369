/**
 * Returns a text as it is given, composed (NFC) and decomposed (NFD), each once: macOS has file names in which `ü` is two
 * code points, which callers write as one. Takes quadratic time for combining marks in a row: the text must be short.
 *
 * @example
 * ```ts
 * import { unicodeForms } from "./unicode_forms.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(unicodeForms("a/u\u0308"), ["a/u\u0308", "a/\xfc"]);
 * assertEquals(unicodeForms("a/b"), ["a/b"]);
 * ```
 */
export function unicodeForms(text: string): string[] {
  return [...new Set([text, text.normalize("NFC"), text.normalize("NFD")])];
}
