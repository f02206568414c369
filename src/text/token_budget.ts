import { estimateTokens } from "./estimate_tokens.ts";

/** Minimum length of the first result's text, in UTF-16 code units, so that it is never empty. */
const MIN_TEXT_LENGTH = 80;

/** Options of {@linkcode fitTokens}. */
export interface TokenBudget<T> {
  /** Maximum number of tokens of all results as JSON. */
  readonly maxTokens: number;
  /** Returns the fields of a result that count against the budget. Default: all of them. */
  readonly counted?: (result: T) => unknown;
  /** Shortens a text to `length` UTF-16 code units. Default: keeps the start and ends it with "…". */
  readonly shorten?: (text: string, length: number) => string;
}

/** Results within a token budget. */
export interface FittedResults<T> {
  readonly results: T[];
  /** Number of omitted results. */
  readonly omitted: number;
  /** Whether the text of the only result was shortened. */
  readonly isTextCut: boolean;
}

/**
 * Takes the first results that fit into a token budget. If not even the first one fits, its text is
 * shortened.
 *
 * @example
 * ```ts
 * import { fitTokens } from "./token_budget.ts";
 * import { assertEquals } from "@std/assert";
 * const results = [{ text: "short" }, { text: "long ".repeat(100) }, { text: "short" }];
 * assertEquals(fitTokens(results, { maxTokens: 50 }), { results: [{ text: "short" }], omitted: 2, isTextCut: false });
 * ```
 */
export function fitTokens<T extends { readonly text: string }>(
  results: readonly T[],
  { maxTokens, counted = (result) => result, shorten = keepStart }: TokenBudget<T>,
): FittedResults<T> {
  const tokensOf = (result: T) => estimateTokens(JSON.stringify(counted(result)));
  let left = maxTokens;
  const excess = results.findIndex((result) => (left -= tokensOf(result)) < 0);
  const kept = excess < 0 ? results.length : excess;
  const [first] = results;
  if (kept > 0 || !first) {
    return { results: results.slice(0, kept), omitted: results.length - kept, isTextCut: false };
  }
  let [low, high] = [Math.min(MIN_TEXT_LENGTH, first.text.length), first.text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (tokensOf({ ...first, text: shorten(first.text, middle) }) <= maxTokens) low = middle;
    else high = middle - 1;
  }
  const text = shorten(first.text, low).toWellFormed();
  return { results: [{ ...first, text }], omitted: results.length - 1, isTextCut: text !== first.text };
}

function keepStart(text: string, length: number): string {
  if (length >= text.length) return text;
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "").trimEnd()}…`;
}
