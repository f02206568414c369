import { isSpace, skipSpace, skipSpaceBack } from "../whitespace.ts";
import { isStop, nextSentence, skipStops } from "./sentences.ts";
import { TOKEN_WEIGHT, unitWeight, weightOf } from "./tokens.ts";
import type { TextRange } from "./types.ts";

/** A range of text that stays in one chunk, without white space at its ends. */
export interface Segment extends TextRange {
  /** See `tokens.ts`. */
  readonly weight: number;
  /** Whether the text before it belongs to the same sentence or line, which is too heavy for a segment. */
  readonly isContinuation?: boolean;
}

/** Boundaries at which text may be split, from coarse to fine. Rows are lines with sentences in them. */
type Granularity = "row" | "sentence" | "line" | "clause" | "word" | "character";
const FINER: Record<Granularity, Granularity> = {
  row: "sentence",
  sentence: "line",
  line: "clause",
  clause: "word",
  word: "character",
  character: "character",
};

/**
 * Maximum weight of a segment of text without spaces: small enough that a few of them can be repeated as
 * overlap.
 */
const MAX_CHARACTER_RUN = 16 * TOKEN_WEIGHT;

/** A range that is being split. */
interface Level extends TextRange {
  readonly weight: number;
  readonly granularity: Granularity;
}

/** Options of {@linkcode splitText}. */
export interface SplitOptions {
  /** Maximum weight of a segment. */
  readonly maxWeight: number;
  /** Coarsest granularity to try. */
  readonly granularity: Granularity;
}

/**
 * Splits a range of text into sentences or lines; one that is too heavy into lines, those at commas and semicolons,
 * then into words, and words into runs of characters. Reads each code unit a constant number of times.
 */
export function* splitText(
  text: string,
  { start, end }: TextRange,
  { maxWeight, granularity }: SplitOptions,
): Generator<Segment> {
  // A stack instead of recursion: text without sentences has a segment for each word, four levels down.
  const levels: Level[] = [{ start, end, weight: Infinity, granularity }];
  let split = -1; // start of the range of the first level that is being split
  let at = skipSpace(text, start, end);
  for (let level = levels.at(-1); level;) {
    if (at >= level.end) {
      levels.pop();
      level = levels.at(-1);
      // The end of a range excludes the white space after it.
      if (level) at = skipSpace(text, at, level.end);
      continue;
    }
    const next = level.granularity === "character"
      ? characterRunEnd(text, { start: at, end: level.end }, maxWeight)
      : nextBoundary(text, { start: at, end: level.end }, level.granularity);
    const rangeEnd = skipSpaceBack(text, at, next);
    // Without a boundary in it, a range is as heavy as before.
    const isWhole = levels.length > 1 && at === level.start && rangeEnd === level.end;
    const weight = isWhole ? level.weight : weightOf(text, { start: at, end: rangeEnd });
    if (weight > maxWeight && level.granularity !== "character") {
      if (levels.length === 1) split = at;
      level = { start: at, end: rangeEnd, weight, granularity: FINER[level.granularity] };
      levels.push(level);
      continue;
    }
    if (levels.length === 1) yield { start: at, end: rangeEnd, weight };
    else yield { start: at, end: rangeEnd, weight, isContinuation: at > split };
    at = skipSpace(text, next, level.end);
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
  if (granularity === "line" || granularity === "row") {
    // Not indexOf: without a newline before `end` it would read to the end of the text.
    while (at < end && text.charCodeAt(at) !== 0x0a) at++;
    return Math.min(at + 1, end);
  }
  if (granularity === "word") {
    while (at < end && !isSpace(text.charCodeAt(at))) at++;
    return skipSpace(text, at, end);
  }
  if (granularity === "clause") {
    while (at < end) {
      if (!endsClause(text.charCodeAt(at++))) continue;
      const next = skipSpace(text, at, end);
      if (next > at || text.charCodeAt(at - 1) > 0x3000) return next;
    }
    return end;
  }
  while (at < end) {
    const code = text.charCodeAt(at++);
    if (code === 0x0a) {
      if (text.charCodeAt(at) === 0x0a || startsItem(text, at, end)) return skipSpace(text, at, end);
    } else if (isStop(code)) {
      const boundary = nextSentence(text, at, end);
      if (boundary > 0) return boundary;
      at = skipStops(text, at, end);
    }
  }
  return end;
}

/** Whether a code unit is a comma, semicolon or colon: Latin, Arabic or CJK. Those of CJK have no space after them. */
function endsClause(code: number): boolean {
  return code === 0x2c || code === 0x3b || code === 0x3a || code === 0x60c || code === 0x61b ||
    code === 0x3001 || code === 0xff0c || code === 0xff1b || code === 0xff1a;
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

/** Whether a list item or table row starts at `at`, the start of a line. */
function startsItem(text: string, at: number, end: number): boolean {
  return /^[ \t]{0,8}(?:[-*+\u2022][ \t]|\d{1,9}[.)][ \t]|\|)/.test(text.slice(at, Math.min(end, at + 24)));
}
