import { collapseSpace, lazy } from "../../text/mod.ts";
import type { QueryTerm } from "./query_terms.ts";
import { type Match, SnippetMatcher } from "./snippet_matcher.ts";

/** Default length of a snippet in UTF-16 code units, without the ellipses. */
export const SNIPPET_CHARS = 400;
/** A snippet that would start at most this many characters after the beginning starts at the beginning. */
const NEAR_BEGINNING = 40;
/** A longer run without white space may be cut anywhere. */
const MAX_WORD_CHARS = 40;
/** Share of its weight that a repeated term adds to a window. */
const REPETITION_WEIGHT = 0.05;
const WHITE_SPACE = /\s/;
/** A character that belongs to the previous one. */
const CONTINUES_CHARACTER = /^[\p{M}\u200d\ufe0f\p{Emoji_Modifier}]/u;

/**
 * Returns a snippet of a text: plain text, cut between words, with white space collapsed and `…` where text
 * is omitted. Without a match, the beginning of the text.
 */
export type SnippetCutter = (text: string, options?: SnippetOptions) => string;

/** Options of {@linkcode SnippetCutter}. */
export interface SnippetOptions {
  /** Maximum length in UTF-16 code units, without the ellipses. @default {400} */
  readonly chars?: number;
  /** Languages in which the words of the text have derived terms. @default {[]} */
  readonly languages?: readonly string[];
}

/** Part of a text that a snippet contains. */
interface Window {
  readonly start: number;
  readonly end: number;
}

/**
 * Returns a function that cuts texts to the window with the most, and the rarest, of a query's terms.
 *
 * @param weightOf Returns the weight of a stem; higher for rare ones.
 */
export function snippetCutter(
  terms: readonly QueryTerm[],
  weightOf: (stem: string) => number,
): SnippetCutter {
  // Most pages have short texts only.
  const matcher = lazy(() => new SnippetMatcher(terms, weightOf));
  return (text, { chars = SNIPPET_CHARS, languages = [] } = {}) => {
    if (text.length <= chars) return collapseSpace(text);
    const matches = matcher().find(text, languages);
    return cutAround(text, bestWindow(matches, matcher().weights, chars), chars);
  };
}

/** Returns the first window of at most `chars` with the highest sum of distinct terms' weights. */
function bestWindow(
  matches: readonly Match[],
  weights: readonly number[],
  chars: number,
): Window | undefined {
  let best: Window | undefined;
  let bestScore = 0;
  /** The last window with each term, by the number of its first match. */
  const seenFrom = new Int32Array(weights.length).fill(-1);
  for (let from = 0; from < matches.length; from++) {
    const { start, end: firstEnd } = matches[from] as Match;
    let score = 0;
    let end = firstEnd;
    for (let at = from; at < matches.length; at++) {
      const match = matches[at] as Match;
      if (match.end - start > chars && at > from) break;
      score += (weights[match.term] as number) * (seenFrom[match.term] === from ? REPETITION_WEIGHT : 1);
      seenFrom[match.term] = from;
      if (match.end > end) end = match.end;
    }
    if (score > bestScore) [best, bestScore] = [{ start, end }, score];
  }
  return best;
}

function cutAround(text: string, window: Window | undefined, chars: number): string {
  const { start, end } = window ?? { start: 0, end: 0 };
  const spare = Math.max(0, chars - (end - start));
  // A third of the spare characters before the window, the rest after it; unused ones go to the other side.
  let from = Math.min(Math.max(0, start - Math.floor(spare / 3)), Math.max(0, text.length - chars));
  let to = Math.min(text.length, Math.max(end, from + chars));
  if (from < NEAR_BEGINNING) from = 0;
  else {
    const last = Math.min(start - 1, from - 1 + MAX_WORD_CHARS);
    let space = from - 1;
    while (space < last && !isSpace(text, space)) space++;
    if (space <= last && isSpace(text, space)) from = space + 1;
    while (from < start && isInsideCharacter(text, from)) from++;
  }
  if (to < text.length) {
    const first = Math.max(end, to - MAX_WORD_CHARS);
    let space = to;
    while (space > first && !isSpace(text, space)) space--;
    if (isSpace(text, space)) to = space;
    while (to > end && isInsideCharacter(text, to)) to--;
  }
  const excerpt = collapseSpace(text.slice(from, to));
  return `${from > 0 ? "… " : ""}${excerpt}${to < text.length ? " …" : ""}`;
}

function isSpace(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  return code === 0x20 || code >= 0x09 && code <= 0x0d || code > 0x7f && WHITE_SPACE.test(text[offset] ?? "");
}

/** Whether a cut at this offset would split a user-perceived character. */
function isInsideCharacter(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  return (code >= 0xdc00 && code <= 0xdfff) || CONTINUES_CHARACTER.test(text.slice(offset, offset + 2)) ||
    text[offset - 1] === "\u200d";
}
