import type { SearchResult } from "../../contract/mod.ts";
import { answerTokens } from "../../text/mod.ts";

/** What is left of a text that is cut, whatever else takes its room. */
const LEAST_CHARS = 80;
/** Fields that are of no use to a model, and that the tools leave out. */
const UNREAD = ["char_start", "char_end", "snippet"];

/** What of a page fits. */
export interface Fitting {
  readonly results: SearchResult[];
  /** Results that were left out. */
  readonly omitted: number;
  /** Whether the only result has a part of its text only. */
  readonly textCut: boolean;
}

/**
 * Takes the best results that fit into so many tokens, in their order. When not even the first one does, it is taken with as much of
 * its text as fits.
 *
 * @param cut Cuts a text to so many characters, around what matters in it.
 */
export function fit(
  results: readonly SearchResult[],
  maxTokens: number,
  cut: (text: string, chars: number) => string,
): Fitting {
  let left = maxTokens;
  let kept = 0;
  for (const result of results) {
    left -= resultTokens(result);
    if (left < 0) break;
    kept++;
  }
  const omitted = results.length - kept;
  const [first] = results;
  if (kept > 0 || !first) return { results: results.slice(0, kept), omitted, textCut: false };
  return { results: [cutTo(first, maxTokens, cut)], omitted: omitted - 1, textCut: true };
}

/** About how many tokens a model reads of a result, as JSON. */
export function resultTokens(result: SearchResult): number {
  const read = Object.entries(result).filter(([name, value]) => value !== null && !UNREAD.includes(name));
  return answerTokens(JSON.stringify(Object.fromEntries(read)));
}

function cutTo(
  result: SearchResult,
  maxTokens: number,
  cut: (text: string, chars: number) => string,
): SearchResult {
  const { context_before: _, context_after: __, ...rest } = result;
  const { text } = rest;
  if (resultTokens(rest) <= maxTokens) return rest;
  let [low, high] = [Math.min(LEAST_CHARS, text.length), text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (resultTokens({ ...rest, text: cut(text, middle) }) <= maxTokens) low = middle;
    else high = middle - 1;
  }
  return { ...rest, text: cut(text, low).toWellFormed() };
}
