import { TOKEN, weigh, weighUnit } from "./tokens.ts";
import { isSpace, skipSpace, skipSpaceBack } from "../whitespace.ts";

/** A stretch of text that is kept together, without white space at its ends. */
export interface Piece {
  readonly start: number;
  readonly end: number;
  readonly weight: number;
}

/** How finely a text is cut: at the ends of sentences, of lines, of words, or anywhere between characters. */
type Cut = "sentence" | "line" | "word" | "character";
const FINER: Record<Cut, Cut> = { sentence: "line", line: "word", word: "character", character: "character" };

/** Pieces of text without spaces: short enough that a few of them can be repeated as an overlap. */
const HARD_PIECE = 16 * TOKEN;

/**
 * Cuts `text.slice(start, end)` into sentences; one that is heavier than `limit` into lines, those into words, and a word
 * into runs of characters. Each code unit is read a fixed number of times, however the text is built.
 */
export function* cutPieces(
  text: string,
  start: number,
  end: number,
  limit: number,
  cut: Cut = "sentence",
): Generator<Piece> {
  for (let at = skipSpace(text, start, end); at < end;) {
    const next = cut === "character" ? hardEnd(text, at, end, limit) : nextBoundary(text, at, end, cut);
    const pieceEnd = skipSpaceBack(text, at, next);
    const weight = weigh(text, at, pieceEnd);
    if (weight <= limit || cut === "character") yield { start: at, end: pieceEnd, weight };
    else yield* cutPieces(text, at, pieceEnd, limit, FINER[cut]);
    at = skipSpace(text, next, end);
  }
}

/** The start of the next sentence (paragraph, list item), line or word after `at`, or `end`. */
export function nextBoundary(text: string, at: number, end: number, cut: Exclude<Cut, "character">): number {
  if (cut === "line") {
    // Not indexOf, which would read on to the end of the text where there is no line end before `end`.
    while (at < end && text.charCodeAt(at) !== 0x0a) at++;
    return Math.min(at + 1, end);
  }
  if (cut === "word") {
    while (at < end && !isSpace(text.charCodeAt(at))) at++;
    return skipSpace(text, at, end);
  }
  while (at < end) {
    const code = text.charCodeAt(at++);
    if (code === 0x0a) {
      if (text.charCodeAt(at) === 0x0a || startsItem(text, at, end)) return skipSpace(text, at, end);
    } else if (STOPS.has(code)) {
      const boundary = sentenceEnd(text, at, end);
      if (boundary > 0) return boundary;
      while (at < end && STOPS.has(text.charCodeAt(at))) at++;
    }
  }
  return end;
}

/** The offset of the last character boundary at or before `at` (never inside a surrogate pair). */
export function characterStart(text: string, at: number): number {
  const inPair = at > 0 && at < text.length && (text.charCodeAt(at) & 0xfc00) === 0xdc00 &&
    (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  return inPair ? at - 1 : at;
}

function hardEnd(text: string, start: number, end: number, limit: number): number {
  const most = Math.min(limit, HARD_PIECE);
  let weight = 0;
  let at = start;
  while (at < end) {
    weight += weighUnit(text.charCodeAt(at));
    if (weight > most) break;
    at++;
  }
  return at === end ? end : Math.max(characterStart(text, at), start + 1);
}

// Full stops of Latin, CJK, Devanagari and Arabic writing.
const STOPS = codes(".!?\u2026\u3002\uff01\uff1f\uff0e\uff61\u0964\u061f\u06d4");
/** Stops that no space follows. */
const WIDE_STOPS = codes("\u3002\uff01\uff1f\uff0e\uff61");
const CLOSERS = codes("\"'\u201d\u2019)]}\u300d\u300f\uff09\u00bb*_");

function codes(chars: string): ReadonlySet<number> {
  return new Set(Array.from(chars, (char) => char.charCodeAt(0)));
}

/** The start of the next sentence, if a stop just before `at` ends one; else 0. */
function sentenceEnd(text: string, at: number, end: number): number {
  while (at < end && STOPS.has(text.charCodeAt(at))) at++;
  const wide = WIDE_STOPS.has(text.charCodeAt(at - 1));
  while (at < end && CLOSERS.has(text.charCodeAt(at))) at++;
  const next = skipSpace(text, at, end);
  // "e.g. this" and "3.14" go on; a sentence starts with anything but a small letter.
  return next === end || wide || (next > at && !/\p{Ll}/u.test(text[next]!)) ? next : 0;
}

/** Whether a list item or table row starts at `at`, the beginning of a line. */
function startsItem(text: string, at: number, end: number): boolean {
  return /^[ \t]{0,8}(?:[-*+\u2022][ \t]|\d{1,9}[.)][ \t]|\|)/.test(text.slice(at, Math.min(end, at + 24)));
}
