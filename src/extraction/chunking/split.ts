import { isSpace, skipSpace, skipSpaceBack } from "../whitespace.ts";
import { TOKEN_WEIGHT, unitWeight, weightOf } from "./tokens.ts";
import type { TextRange } from "./types.ts";

/** A range of text that stays in one chunk, without white space at its ends. */
export interface Segment extends TextRange {
  /** See `tokens.ts`. */
  readonly weight: number;
}

/** Boundaries at which text may be split, from coarse to fine. */
type Granularity = "sentence" | "line" | "word" | "character";
const FINER: Record<Granularity, Granularity> = {
  sentence: "line",
  line: "word",
  word: "character",
  character: "character",
};

/**
 * Maximum weight of a segment of text without spaces: small enough that a few of them can be repeated as
 * overlap.
 */
const MAX_CHARACTER_RUN = 16 * TOKEN_WEIGHT;

/** Options of {@linkcode splitText}. */
export interface SplitOptions {
  /** Maximum weight of a segment. */
  readonly maxWeight: number;
  /** Coarsest granularity to try. */
  readonly granularity: Granularity;
}

/**
 * Splits a range of text into sentences or lines; one that is too heavy into lines, those into words, and
 * words into runs of characters. Reads each code unit a constant number of times.
 */
export function* splitText(
  text: string,
  { start, end }: TextRange,
  { maxWeight, granularity }: SplitOptions,
): Generator<Segment> {
  for (let at = skipSpace(text, start, end); at < end;) {
    const next = granularity === "character"
      ? characterRunEnd(text, { start: at, end }, maxWeight)
      : nextBoundary(text, { start: at, end }, granularity);
    const range = { start: at, end: skipSpaceBack(text, at, next) };
    const weight = weightOf(text, range);
    if (weight <= maxWeight || granularity === "character") yield { ...range, weight };
    else yield* splitText(text, range, { maxWeight, granularity: FINER[granularity] });
    at = skipSpace(text, next, end);
  }
}

/**
 * Returns the start of the next sentence (also paragraph or list item), line or word after `start`, or `end`.
 */
export function nextBoundary(
  text: string,
  { start, end }: TextRange,
  granularity: Exclude<Granularity, "character">,
): number {
  let at = start;
  if (granularity === "line") {
    // Not indexOf: without a newline before `end` it would read to the end of the text.
    while (at < end && text.charCodeAt(at) !== 0x0a) at++;
    return Math.min(at + 1, end);
  }
  if (granularity === "word") {
    while (at < end && !isSpace(text.charCodeAt(at))) at++;
    return skipSpace(text, at, end);
  }
  while (at < end) {
    const code = text.charCodeAt(at++);
    if (code === 0x0a) {
      if (text.charCodeAt(at) === 0x0a || startsItem(text, at, end)) return skipSpace(text, at, end);
    } else if (STOPS.has(code)) {
      const boundary = nextSentence(text, at, end);
      if (boundary > 0) return boundary;
      while (at < end && STOPS.has(text.charCodeAt(at))) at++;
    }
  }
  return end;
}

/** Returns the last character boundary at or before `at`, so that no surrogate pair is split. */
export function characterStart(text: string, at: number): number {
  const isInPair = at > 0 && at < text.length && (text.charCodeAt(at) & 0xfc00) === 0xdc00 &&
    (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  return isInPair ? at - 1 : at;
}

function characterRunEnd(text: string, { start, end }: TextRange, maxWeight: number): number {
  const limit = Math.min(maxWeight, MAX_CHARACTER_RUN);
  let weight = 0;
  let at = start;
  while (at < end) {
    weight += unitWeight(text.charCodeAt(at));
    if (weight > limit) break;
    at++;
  }
  return at === end ? end : Math.max(characterStart(text, at), start + 1);
}

/** Sentence-ending punctuation of Latin, CJK, Devanagari and Arabic scripts. */
const STOPS = codeUnits(".!?\u2026\u3002\uff01\uff1f\uff0e\uff61\u0964\u061f\u06d4");
/** Stops without a space after them. */
const FULL_WIDTH_STOPS = codeUnits("\u3002\uff01\uff1f\uff0e\uff61");
/** Quotation marks, brackets and emphasis markers that may follow a stop. */
const CLOSERS = codeUnits("\"'\u201d\u2019)]}\u300d\u300f\uff09\u00bb*_");

function codeUnits(chars: string): ReadonlySet<number> {
  return new Set(Array.from(chars, (char) => char.charCodeAt(0)));
}

/** Returns the start of the next sentence if the stop before `at` ends one, otherwise 0. */
function nextSentence(text: string, at: number, end: number): number {
  while (at < end && STOPS.has(text.charCodeAt(at))) at++;
  const isFullWidth = FULL_WIDTH_STOPS.has(text.charCodeAt(at - 1));
  while (at < end && CLOSERS.has(text.charCodeAt(at))) at++;
  const next = skipSpace(text, at, end);
  // A sentence does not start with a lower-case letter: "e.g. this" and "3.14" contain no boundary.
  return next === end || isFullWidth || (next > at && !/\p{Ll}/u.test(text[next]!)) ? next : 0;
}

/** Whether a list item or table row starts at `at`, the start of a line. */
function startsItem(text: string, at: number, end: number): boolean {
  return /^[ \t]{0,8}(?:[-*+\u2022][ \t]|\d{1,9}[.)][ \t]|\|)/.test(text.slice(at, Math.min(end, at + 24)));
}
