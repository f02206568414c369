import {
  asciiWords,
  derivedTerms,
  normalizeForSearch,
  SINGLE_CHARACTER_TOKENS,
  stems,
} from "../../analysis/mod.ts";
import { collapseSpace, lazy } from "../../text/mod.ts";
import type { QueryTerm } from "./query_terms.ts";

/** Default length of a snippet in UTF-16 code units, without the ellipses. */
export const SNIPPET_CHARS = 400;
/** Maximum number of matches to consider, far more than a chunk of prose has. */
const MAX_MATCHES = 500;
/** A snippet that would start at most this many characters after the beginning starts at the beginning. */
const NEAR_BEGINNING = 40;
/** A longer run without white space may be cut anywhere. */
const MAX_WORD_CHARS = 40;
/** Share of its weight that a repeated term adds to a window. */
const REPETITION_WEIGHT = 0.05;

/**
 * Runs of single-character tokens, and words, including the invisible characters that normalization removes.
 */
const RUN_OR_WORD = new RegExp(
  `[${SINGLE_CHARACTER_TOKENS}][${SINGLE_CHARACTER_TOKENS}\\p{M}\\p{Cf}]*|` +
    `(?:(?![${SINGLE_CHARACTER_TOKENS}])[\\p{L}\\p{N}\\p{M}\\p{Co}\\p{Cf}])+`,
  "gu",
);
const HAS_SINGLE_CHARACTER = new RegExp(`[${SINGLE_CHARACTER_TOKENS}]`, "u");
const IS_SINGLE_CHARACTERS = new RegExp(`^[${SINGLE_CHARACTER_TOKENS}]+$`, "u");
const MATCHES_NOTHING = /(?!)/g;
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

/** Query terms, prepared for matching. */
interface Matcher {
  /** Weight of each stem, and of each run by its characters. */
  readonly weights: Map<string, number>;
  /** Stem of the query word that has a derived term. */
  readonly forms: Map<string, string>;
  /** Prefixes of the derived terms of compounds, each with the stem of the query word that they contain. */
  readonly compounds: Map<string, string>;
  /** Runs of single-character tokens, by their first character. */
  readonly runs: Map<string, (readonly string[])[]>;
  /** Prefixes in ASCII of words that may have one of the stems. */
  asciiPrefixes: readonly string[];
  /** Matches the prefixes of words that may have one of the stems. */
  prefix: () => RegExp;
}

/** A match in a text. */
interface Match {
  readonly start: number;
  readonly end: number;
  /** Stem or run. */
  readonly term: string;
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
  const matcher = lazy(() => prepareMatcher(terms, weightOf));
  return (text, { chars = SNIPPET_CHARS, languages = [] } = {}) => {
    if (text.length <= chars) return collapseSpace(text);
    const matches = findMatches(text, matcher(), languages);
    return cutAround(text, bestWindow(matches, matcher().weights, chars), chars);
  };
}

function prepareMatcher(terms: readonly QueryTerm[], weightOf: (stem: string) => number): Matcher {
  const matcher: Matcher = {
    weights: new Map(),
    forms: new Map(),
    compounds: new Map(),
    runs: new Map(),
    asciiPrefixes: [],
    prefix: () => MATCHES_NOTHING,
  };
  for (const { words, forms = [], compounds = [] } of terms) {
    // A rare form does not make the word rare.
    const formWeight = forms.reduce((min, form) => Math.min(min, weightOf(form)), Infinity);
    const weights = stems(words).flat().map((stem) => [stem, Math.min(weightOf(stem), formWeight)] as const);
    const [stem] = weights[0] ?? [];
    if (stem !== undefined) {
      for (const form of forms) matcher.forms.set(form, stem);
      const prefixes = compounds.flatMap(({ tail, head }) => [tail, head]).filter((each) =>
        each !== undefined
      );
      for (const prefix of prefixes) matcher.compounds.set(prefix, stem);
    }
    if (!words.every((word) => IS_SINGLE_CHARACTERS.test(word))) {
      for (const [stem, weight] of weights) matcher.weights.set(stem, weight);
      continue;
    }
    const characters = [...words.join("")];
    const first = characters[0] ?? "";
    matcher.runs.set(first, [...(matcher.runs.get(first) ?? []), characters]);
    matcher.weights.set(characters.join(" "), Math.max(...weights.map(([, weight]) => weight)));
  }
  // Stemming replaces only the end of a word, so that a word without the prefix of a stem need not be
  // stemmed.
  const prefixes = [...matcher.weights.keys()].filter((stem) => !stem.includes(" ")).map((stem) =>
    [...stem].slice(0, -1).join("") || stem
  );
  if (prefixes.length > 0) matcher.prefix = lazy(() => new RegExp(`^(?:${prefixes.join("|")})`, "u"));
  matcher.asciiPrefixes = prefixes.filter((prefix) => /^[a-z0-9]+$/.test(prefix));
  return matcher;
}

function findMatches(text: string, matcher: Matcher, languages: readonly string[]): Match[] {
  const matches: Match[] = [];
  const hasForms = languages.length > 0 && matcher.forms.size + matcher.compounds.size > 0;
  const ascii = hasForms || matcher.runs.size > 0 ? undefined : asciiWords(text);
  const candidates = ascii === undefined
    ? findInUnicode(text, matcher, { languages: hasForms ? languages : [], matches })
    : findInAscii(ascii, matcher.asciiPrefixes);
  const stemmed = stems(candidates.map(({ term }) => term));
  for (const [index, { start, end }] of candidates.entries()) {
    const stem = stemmed[index]?.[0];
    if (stem !== undefined && matcher.weights.has(stem)) matches.push({ start, end, term: stem });
  }
  return matches.sort((a, b) => a.start - b.start);
}

/** Returns the first words with one of the prefixes. */
function findInAscii(text: string, prefixes: readonly string[]): Match[] {
  const starts = new Set<number>();
  for (const prefix of prefixes) {
    for (let at = text.indexOf(prefix); at >= 0; at = text.indexOf(prefix, at + 1)) {
      if (at === 0 || !isAlphanumeric(text.charCodeAt(at - 1))) starts.add(at);
    }
  }
  return [...starts].sort((a, b) => a - b).slice(0, MAX_MATCHES).map((start) => {
    let end = start + 1;
    while (end < text.length && isAlphanumeric(text.charCodeAt(end))) end++;
    return { start, end, term: text.slice(start, end) };
  });
}

function isAlphanumeric(code: number): boolean {
  return code >= 97 && code <= 122 || code >= 48 && code <= 57;
}

/**
 * Returns the words that may have one of the stems. Adds to `matches` the words with derived terms, and the runs of
 * single-character tokens.
 */
function findInUnicode(
  text: string,
  matcher: Matcher,
  { languages, matches }: { readonly languages: readonly string[]; readonly matches: Match[] },
): Match[] {
  const candidates: Match[] = [];
  for (const { 0: word, index } of text.matchAll(RUN_OR_WORD)) {
    const term = normalizeForSearch(word).toLowerCase().trim();
    const derived = languages.length > 0 ? derivedTerms(word, languages).split(" ") : [];
    const stem = stemOfForms(derived, matcher);
    if (stem !== undefined) matches.push({ start: index, end: index + word.length, term: stem });
    else if (HAS_SINGLE_CHARACTER.test(term)) findRuns(word, index, matcher.runs, matches);
    else if (matcher.prefix().test(term)) candidates.push({ start: index, end: index + word.length, term });
    if (candidates.length + matches.length >= MAX_MATCHES) break;
  }
  return candidates;
}

/** Returns the stem of the query word that has one of the derived terms, or that is part of a compound. */
function stemOfForms(derived: readonly string[], { forms, compounds }: Matcher): string | undefined {
  for (const term of derived) {
    const stem = forms.get(term);
    if (stem !== undefined) return stem;
  }
  for (const [prefix, stem] of compounds) {
    for (const term of derived) if (term.startsWith(prefix)) return stem;
  }
  return undefined;
}

/** Adds the matches within a run of single-character tokens. */
function findRuns(run: string, offset: number, runs: Matcher["runs"], matches: Match[]): void {
  const characters: Match[] = [];
  for (const { 0: character, index } of run.matchAll(/./gsu)) {
    const term = normalizeForSearch(character).toLowerCase().trim();
    const start = offset + index;
    if (term !== "") characters.push({ start, end: start + character.length, term });
  }
  for (const [index, { start, term }] of characters.entries()) {
    for (const wanted of runs.get(term) ?? []) {
      const last = characters[index + wanted.length - 1];
      if (last && wanted.every((character, n) => characters[index + n]?.term === character)) {
        matches.push({ start, end: last.end, term: wanted.join(" ") });
      }
    }
  }
}

/** Returns the first window of at most `chars` with the highest sum of distinct terms' weights. */
function bestWindow(
  matches: readonly Match[],
  weights: ReadonlyMap<string, number>,
  chars: number,
): Match | undefined {
  let best: Match | undefined;
  let bestScore = 0;
  for (let from = 0; from < matches.length; from++) {
    const first = matches[from] as Match;
    const seen = new Set<string>();
    let score = 0;
    let end = first.end;
    for (let at = from; at < matches.length; at++) {
      const match = matches[at] as Match;
      if (match.end - first.start > chars && at > from) break;
      score += (weights.get(match.term) ?? 1) * (seen.has(match.term) ? REPETITION_WEIGHT : 1);
      seen.add(match.term);
      end = Math.max(end, match.end);
    }
    if (score > bestScore) [best, bestScore] = [{ ...first, end }, score];
  }
  return best;
}

function cutAround(text: string, window: Match | undefined, chars: number): string {
  const { start, end } = window ?? { start: 0, end: 0 };
  const spare = Math.max(0, chars - (end - start));
  // A third of the spare characters before the window, the rest after it; unused ones go to the other side.
  let from = Math.min(Math.max(0, start - Math.floor(spare / 3)), Math.max(0, text.length - chars));
  let to = Math.min(text.length, Math.max(end, from + chars));
  if (from < NEAR_BEGINNING) from = 0;
  else {
    const space = text.slice(from - 1, start).search(/\s/);
    if (space >= 0 && space <= MAX_WORD_CHARS) from += space;
    while (from < start && isInsideCharacter(text, from)) from++;
  }
  if (to < text.length) {
    const space = text.slice(end, to + 1).search(/\s\S*$/);
    if (space >= 0 && to - end - space <= MAX_WORD_CHARS) to = end + space;
    while (to > end && isInsideCharacter(text, to)) to--;
  }
  const excerpt = collapseSpace(text.slice(from, to));
  return `${from > 0 ? "… " : ""}${excerpt}${to < text.length ? " …" : ""}`;
}

/** Whether a cut at this offset would split a user-perceived character. */
function isInsideCharacter(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  return (code >= 0xdc00 && code <= 0xdfff) || CONTINUES_CHARACTER.test(text.slice(offset, offset + 2)) ||
    text[offset - 1] === "\u200d";
}
