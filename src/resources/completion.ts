import type { Completion, ReadContext } from "./define.ts";

/** Maximum number of values in a completion (MCP, `CompleteResult.completion.values`). */
export const MAX_VALUES = 100;
/** Maximum length of the input that is used, in UTF-16 code units. */
const MAX_INPUT_CHARS = 200;
/** Maximum length of a text that is matched: the contract's maximum title. */
const MAX_TEXT_CHARS = 500;

/** Completes a variable from its input so far and the values of the other variables. */
export type Complete = (
  input: string,
  others: Readonly<Record<string, string>>,
  context: ReadContext,
) => Promise<Completion>;

/** Returns the candidates in the order of their ranks, truncated to {@linkcode MAX_VALUES}. */
export function completionOf(ranks: ReadonlyMap<string, number>): Completion {
  // The sort is stable: candidates of the same rank stay in their order, the newest first.
  const values = [...ranks].sort(([, a], [, b]) => a - b).map(([value]) => value);
  return values.length <= MAX_VALUES
    ? { values }
    : { values: values.slice(0, MAX_VALUES), total: values.length, hasMore: true };
}

/** Truncates input to its maximum length. */
export function truncateInput(input: string): string {
  return input.slice(0, MAX_INPUT_CHARS).toWellFormed();
}

/** Removes differences that people do not type: case, diacritics and compatibility forms. */
export function fold(text: string): string {
  return text.slice(0, MAX_TEXT_CHARS).normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase()
    .normalize();
}

/** Returns the folded words of a text. */
export function wordsOf(text: string): string[] {
  return fold(text).split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word !== "");
}

/**
 * Ranks how well a text matches the input, ignoring case and diacritics.
 *
 * @returns 0 if the text starts with the input, 1 if one of its words does, 2 if it contains every word of
 * the input, otherwise undefined. Every text matches an input without words.
 */
export function matchRank(input: string, text: string): 0 | 1 | 2 | undefined {
  const words = wordsOf(truncateInput(input));
  if (words.length === 0) return 0;
  const line = ` ${wordsOf(text).join(" ")}`;
  const phrase = ` ${words.join(" ")}`;
  if (line.startsWith(phrase)) return 0;
  if (line.includes(phrase)) return 1;
  return words.every((word) => line.includes(word)) ? 2 : undefined;
}
