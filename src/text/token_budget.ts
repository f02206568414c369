import { estimateTokens } from "./estimate_tokens.ts";

/** Minimum length of a text that is cut, in UTF-16 code units: a shorter one says too little. */
const MIN_TEXT_LENGTH = 80;

/** Tokens that a result in a list has less than alone: in `"},{"`, both braces are one token. */
const SEPARATOR_TOKENS = -1;

/** A result whose text, and context if it has any, can be shortened. */
export interface FittableResult {
  readonly text: string;
  readonly context_before?: string | null | undefined;
  readonly context_after?: string | null | undefined;
}

/** Options of {@linkcode fitTokens}. */
export interface TokenBudget<T> {
  /** Maximum number of tokens of all results as JSON. */
  readonly maxTokens: number;
  /** Returns the fields of the result at an index that count against the budget. Default: all of them. */
  readonly counted?: (result: T, index: number) => unknown;
  /**
   * Shortens the text of the result at an index to `length` UTF-16 code units. Default: keeps the start and ends
   * it with "…".
   */
  readonly shorten?: (text: string, length: number, index: number) => string;
}

/** Results within a token budget. */
export interface FittedResults<T> {
  readonly results: T[];
  /** Number of omitted results. */
  readonly omitted: number;
  /** Whether the text of the last result was shortened. */
  readonly isTextCut: boolean;
  /** Whether context of the last result was removed. */
  readonly isContextCut: boolean;
}

/**
 * Takes the first results that fit into a token budget. The next one gets the remaining tokens: it loses context,
 * then text. It is omitted if they are too few for a useful text, unless it is the first.
 *
 * @example
 * ```ts
 * import { fitTokens } from "./token_budget.ts";
 * import { assertEquals } from "@std/assert";
 * const results = [{ text: "short" }, { text: "long ".repeat(100) }, { text: "short" }];
 * const { omitted, isTextCut } = fitTokens(results, { maxTokens: 80 });
 * assertEquals([omitted, isTextCut], [1, true]);
 * ```
 */
export function fitTokens<T extends FittableResult>(
  results: readonly T[],
  { maxTokens, counted = (result) => result, shorten = keepStart }: TokenBudget<T>,
): FittedResults<T> {
  const tokensOf = (result: T, index: number) =>
    estimateTokens(JSON.stringify(counted(result, index))) + (index > 0 ? SEPARATOR_TOKENS : 0);
  let left = maxTokens;
  let kept = 0;
  for (; kept < results.length; kept++) {
    const tokens = tokensOf(results[kept]!, kept);
    if (tokens > left) break;
    left -= tokens;
  }
  const whole = results.slice(0, kept);
  const next = results[kept];
  if (next === undefined) return { results: whole, omitted: 0, isTextCut: false, isContextCut: false };

  const fits = (result: T) => tokensOf(result, kept) <= left;
  const cut = shortenContext(next, fits) ?? shortenText(withoutContext(next), {
    fits,
    shorten: (text, length) => shorten(text, length, kept),
  });
  const isKept = kept === 0 || fits(cut);
  return {
    results: isKept ? [...whole, cut] : whole,
    omitted: results.length - kept - (isKept ? 1 : 0),
    isTextCut: isKept && cut.text !== next.text,
    isContextCut: isKept && contextLength(cut) < contextLength(next),
  };
}

/** Removes context from its far ends; undefined if the result does not fit without any. */
function shortenContext<T extends FittableResult>(
  result: T,
  fits: (result: T) => boolean,
): T | undefined {
  const { context_before: before, context_after: after } = result;
  const withContext = (length: number): T => {
    // Half for each side; what one does not need goes to the other.
    const half = Math.max(Math.floor(length / 2), length - (after?.length ?? 0));
    const start = Math.min(before?.length ?? 0, half);
    return {
      ...withoutContext(result),
      ...(before && start > 0 ? { context_before: keepEnd(before, start) } : {}),
      ...(after && length > start ? { context_after: keepStart(after, length - start) } : {}),
    };
  };
  const length = contextLength(result);
  if (length === 0 || !fits(withContext(0))) return undefined;
  return withContext(longest({ from: 0, to: length, fits: (each) => fits(withContext(each)) }));
}

function shortenText<T extends FittableResult>(
  result: T,
  { fits, shorten }: {
    readonly fits: (result: T) => boolean;
    readonly shorten: (text: string, length: number) => string;
  },
): T {
  const withText = (length: number): T => ({ ...result, text: shorten(result.text, length).toWellFormed() });
  const from = Math.min(MIN_TEXT_LENGTH, result.text.length);
  return withText(longest({ from, to: result.text.length, fits: (each) => fits(withText(each)) }));
}

function withoutContext<T extends FittableResult>(result: T): T {
  const { context_before: _, context_after: __, ...rest } = result;
  return rest as T;
}

function contextLength({ context_before, context_after }: FittableResult): number {
  return (context_before?.length ?? 0) + (context_after?.length ?? 0);
}

/** Returns the greatest length that fits, by binary search; `from` if none does. */
function longest(
  { from, to, fits }: {
    readonly from: number;
    readonly to: number;
    readonly fits: (length: number) => boolean;
  },
): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

function keepStart(text: string, length: number): string {
  if (length >= text.length) return text;
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "").trimEnd()}…`;
}

function keepEnd(text: string, length: number): string {
  if (length >= text.length) return text;
  return `…${text.slice(text.length - length).replace(/^[\udc00-\udfff]/, "").trimStart()}`;
}
