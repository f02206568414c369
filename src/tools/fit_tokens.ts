/** Bytes of UTF-8 to a token: right for English, and within a half for what costs more, as those scripts have more bytes. */
const BYTES_PER_TOKEN = 4;
/** Characters of the best result's text that stay, however small the budget: an empty answer helps nobody. */
const LEAST_CHARS = 80;

/** Results that fit, and what does not. */
export interface Fitting<T> {
  readonly results: T[];
  /** Undefined: nothing is cut. */
  readonly cut?: { readonly omitted: number; readonly text_cut: boolean };
}

/**
 * The best results that fit into about so many tokens of JSON. If even the first does not, its text is cut.
 *
 * @example
 * ```ts
 * import { fitTokens } from "./fit_tokens.ts";
 * import { assertEquals } from "@std/assert";
 * const results = [{ text: "short" }, { text: "long ".repeat(100) }, { text: "short" }];
 * assertEquals(fitTokens(results, 50), { results: [{ text: "short" }], cut: { omitted: 2, text_cut: false } });
 * ```
 */
export function fitTokens<T extends { readonly text: string }>(
  results: readonly T[],
  maxTokens: number,
): Fitting<T> {
  let left = maxTokens * BYTES_PER_TOKEN;
  const fitting = results.findIndex((result) => (left -= bytesOf(result)) < 0);
  if (fitting < 0) return { results: [...results] };
  if (fitting > 0) {
    return {
      results: results.slice(0, fitting),
      cut: { omitted: results.length - fitting, text_cut: false },
    };
  }
  const first = results[0]!;
  const text = beginning(first.text, maxTokens * BYTES_PER_TOKEN - bytesOf({ ...first, text: "" }));
  return { results: [{ ...first, text }], cut: { omitted: results.length - 1, text_cut: true } };
}

/** About so many bytes of a text, as its script has them on average, and a mark that it goes on. */
function beginning(text: string, bytes: number): string {
  const chars = Math.max(LEAST_CHARS, Math.floor(text.length * bytes / bytesOf(text)));
  if (chars >= text.length) return text;
  return `${text.slice(0, chars).replace(/[\ud800-\udbff]$/, "").trimEnd()}…`;
}

function bytesOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
