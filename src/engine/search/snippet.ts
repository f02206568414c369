import { normalizeForSearch, SINGLE_CHARACTER_TOKENS, stems } from "../../analysis/mod.ts";
import type { Unit } from "./query.ts";

/** Length of a snippet, in UTF-16 code units, without the marks of what was cut. */
export const SNIPPET_CHARS = 240;
/** Most places of one text that are looked at: far more than a chunk of prose has. */
const MAX_PLACES = 500;
/** A cut this close to the beginning is not worth it. */
const NEAR_BEGINNING = 40;
/** What is longer between blanks is no word, and is cut anywhere. */
const LONGEST_WORD = 40;
/** What a word counts that the window has already. */
const REPEATED = 0.05;

const ASCII = /^[ -~\s]*$/;
/** Runs of characters that are a word each, and words, both with the invisible characters that the index does without. */
const ANY_WORD = new RegExp(
  `[${SINGLE_CHARACTER_TOKENS}][${SINGLE_CHARACTER_TOKENS}\\p{M}\\p{Cf}]*|(?:(?![${SINGLE_CHARACTER_TOKENS}])[\\p{L}\\p{N}\\p{M}\\p{Co}\\p{Cf}])+`,
  "gu",
);
const EACH_ALONE = new RegExp(`[${SINGLE_CHARACTER_TOKENS}]`, "u");
const ALL_ALONE = new RegExp(`^[${SINGLE_CHARACTER_TOKENS}]+$`, "u");
const NOTHING = /(?!)/g;
/** What cannot begin a text: the second half of a character. */
const CONTINUES = /^[\p{M}\u200d\ufe0f\p{Emoji_Modifier}]/u;

/** What to look for in a text. */
interface Sought {
  /** What each stem is worth. */
  readonly weights: Map<string, number>;
  /** Runs of characters that are a word each, by the first of them. */
  readonly runs: Map<string, (readonly string[])[]>;
  /** Finds the words of a lower-case ASCII text that may have one of the stems. */
  asciiWord: RegExp;
  /** Tells whether a word may. */
  beginning: RegExp;
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly what: string;
}

/**
 * Prepares to cut texts to the part where most of a query's words stand together.
 *
 * @param units The query.
 * @param weigh What a stem is worth; rare ones more.
 * @returns A function from a text to about {@linkcode SNIPPET_CHARS} of its characters, or as many as it is told: cut between words, white space made
 * one blank, `…` where something is left out. Plain text, nothing is marked up. Without any word of the query, the beginning.
 */
export function snippetsFor(
  units: readonly Unit[],
  weigh: (stem: string) => number,
): (text: string, chars?: number) => string {
  const sought: Sought = { weights: new Map(), runs: new Map(), asciiWord: NOTHING, beginning: NOTHING };
  for (const { words } of units) {
    const weights = stems(words).flat().map((stem) => [stem, weigh(stem)] as const);
    if (!words.every((word) => ALL_ALONE.test(word))) {
      for (const [stem, weight] of weights) sought.weights.set(stem, weight);
      continue;
    }
    const characters = [...words.join("")];
    const first = characters[0] ?? "";
    sought.runs.set(first, [...(sought.runs.get(first) ?? []), characters]);
    sought.weights.set(characters.join(" "), Math.max(...weights.map(([, weight]) => weight)));
  }
  // Stemming changes no more than the end of a word. What does not begin like a stem need not be looked at.
  const beginnings = [...sought.weights.keys()].filter((stem) => !stem.includes(" ")).map((stem) =>
    [...stem].slice(0, -1).join("") || stem
  );
  if (beginnings.length > 0) sought.beginning = new RegExp(`^(?:${beginnings.join("|")})`, "u");
  const ascii = beginnings.filter((beginning) => /^[a-z0-9]+$/.test(beginning));
  if (ascii.length > 0) sought.asciiWord = new RegExp(`(?<![a-z0-9])(?:${ascii.join("|")})[a-z0-9]*`, "g");
  return (text, chars = SNIPPET_CHARS) =>
    cut(text, bestWindow(placesIn(text, sought), sought.weights, chars), chars);
}

function placesIn(text: string, sought: Sought): Place[] {
  const candidates: Place[] = [];
  const places: Place[] = [];
  const enough = () => candidates.length + places.length >= MAX_PLACES;
  if (ASCII.test(text)) {
    for (const { 0: what, index } of text.toLowerCase().matchAll(sought.asciiWord)) {
      candidates.push({ start: index, end: index + what.length, what });
      if (enough()) break;
    }
  } else {
    for (const { 0: word, index } of text.matchAll(ANY_WORD)) {
      const what = normalizeForSearch(word).toLowerCase().trim();
      if (EACH_ALONE.test(what)) placesInRun(word, index, sought.runs, places);
      else if (sought.beginning.test(what)) candidates.push({ start: index, end: index + word.length, what });
      if (enough()) break;
    }
  }
  const found = stems(candidates.map(({ what }) => what));
  for (const [index, { start, end }] of candidates.entries()) {
    const what = found[index]?.[0];
    if (what !== undefined && sought.weights.has(what)) places.push({ start, end, what });
  }
  return places.sort((a, b) => a.start - b.start);
}

/** Finds the sought runs of characters in a row of characters that are a word each. */
function placesInRun(
  run: string,
  offset: number,
  runs: Sought["runs"],
  places: Place[],
): void {
  const characters: Place[] = [];
  for (const { 0: character, index } of run.matchAll(/./gsu)) {
    const what = normalizeForSearch(character).toLowerCase().trim();
    const start = offset + index;
    if (what !== "") characters.push({ start, end: start + character.length, what });
  }
  for (const [index, { start, what }] of characters.entries()) {
    for (const words of runs.get(what) ?? []) {
      const last = characters[index + words.length - 1];
      if (last && words.every((word, n) => characters[index + n]?.what === word)) {
        places.push({ start, end: last.end, what: words.join(" ") });
      }
    }
  }
}

/** The stretch of at most so many characters with the most, and the most telling, different words; the first such. */
function bestWindow(
  places: readonly Place[],
  sought: ReadonlyMap<string, number>,
  chars: number,
): Place | undefined {
  let best: Place | undefined;
  let bestScore = 0;
  for (let from = 0; from < places.length; from++) {
    const first = places[from] as Place;
    const seen = new Set<string>();
    let score = 0;
    let end = first.end;
    for (let at = from; at < places.length; at++) {
      const place = places[at] as Place;
      if (place.end - first.start > chars && at > from) break;
      score += (sought.get(place.what) ?? 1) * (seen.has(place.what) ? REPEATED : 1);
      seen.add(place.what);
      end = Math.max(end, place.end);
    }
    if (score > bestScore) [best, bestScore] = [{ ...first, end }, score];
  }
  return best;
}

function cut(text: string, window: Place | undefined, chars: number): string {
  if (text.length <= chars) return oneLine(text);
  const { start, end } = window ?? { start: 0, end: 0 };
  const spare = Math.max(0, chars - (end - start));
  // A third before, the rest after; what one side has no use for goes to the other.
  let from = Math.min(Math.max(0, start - Math.floor(spare / 3)), Math.max(0, text.length - chars));
  let to = Math.min(text.length, Math.max(end, from + chars));
  if (from < NEAR_BEGINNING) from = 0;
  else {
    const blank = text.slice(from - 1, start).search(/\s/);
    if (blank >= 0 && blank <= LONGEST_WORD) from += blank;
    while (from < start && inside(text, from)) from++;
  }
  if (to < text.length) {
    const blank = text.slice(end, to + 1).search(/\s\S*$/);
    if (blank >= 0 && to - end - blank <= LONGEST_WORD) to = end + blank;
    while (to > end && inside(text, to)) to--;
  }
  return `${from > 0 ? "… " : ""}${oneLine(text.slice(from, to))}${to < text.length ? " …" : ""}`;
}

/** Whether a cut here would part what belongs to one character. */
function inside(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 0xdc00 && code <= 0xdfff) || CONTINUES.test(text.slice(at, at + 2)) ||
    text[at - 1] === "\u200d";
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
