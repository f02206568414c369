import { answerTokens } from "../text/answer_tokens.ts";

/** Characters of the best result's text that stay, however small the budget: an empty answer helps nobody. */
const LEAST_CHARS = 80;

/** Says that a text goes on. */
const MARK = "…";

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
  let left = maxTokens;
  const fitting = results.findIndex((result) => (left -= tokensOf(result)) < 0);
  if (fitting < 0) return { results: [...results] };
  if (fitting > 0) {
    return {
      results: results.slice(0, fitting),
      cut: { omitted: results.length - fitting, text_cut: false },
    };
  }
  const first = results[0]!;
  const text = beginning(first.text, maxTokens - tokensOf({ ...first, text: "" }));
  return { results: [{ ...first, text }], cut: { omitted: results.length - 1, text_cut: true } };
}

/** About so many tokens of a text, as it has them on average, and a mark that it goes on. */
function beginning(text: string, tokens: number): string {
  const chars = Math.max(LEAST_CHARS, Math.floor(text.length * (tokens - tokensOf(MARK)) / tokensOf(text)));
  if (chars >= text.length) return text;
  return `${text.slice(0, chars).replace(/[\ud800-\udbff]$/, "").trimEnd()}${MARK}`;
}

function tokensOf(value: unknown): number {
  return answerTokens(JSON.stringify(value));
}
