/**
 * Returns the warning about text from OCR.
 *
 * @param what Subject of the sentence: "The text", "Pages 3–9".
 * @param confidence From 0 to 1.
 *
 * @example
 * ```ts
 * import { ocrWarning } from "./warning.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(
 *   ocrWarning("The text", 0.71),
 *   "The text was read from an image by OCR with a confidence of 71 %: check names and numbers.",
 * );
 * ```
 */
export function ocrWarning(what: string, confidence: number): string {
  const verb = /^(?:Pages|Images)\b/.test(what) ? "were" : "was";
  const percent = Math.round(confidence * 100);
  return `${what} ${verb} read from an image by OCR with a confidence of ${percent} %: check names and numbers.`;
}
