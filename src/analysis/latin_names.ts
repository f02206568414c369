import { lazy } from "../text/mod.ts";
import { latinTables, LETTER, LOWER, NUMBER, UPPER } from "./latin_text.ts";

/*
 * Finds the words of a text that have subwords, in one pass with one table look-up per character: most texts are
 * looked through in vain. The state is the classes of the last three characters, from which the next one is seen to
 * make a word mixed or to join two words.
 */

/** Words of a text that have subwords. */
export interface LatinNames {
  /** Words with mixed case after the first letter, or digits next to letters, in order. */
  readonly mixed: readonly string[];
  /** Words of two parts that are joined by a hyphen, dot or underscore, in order. */
  readonly compounds: readonly (readonly [string, string])[];
}

/** Kinds of the characters of each class: punctuation, letters of three cases, numbers, separators. */
const CLASSES = [0, LETTER | LOWER, LETTER | UPPER, LETTER, NUMBER, 0] as const;
const SEPARATOR = 5;
/** Join the parts of a compound. */
export const SEPARATORS = ["-", ".", "_"] as const;
const STATES = CLASSES.length ** 3;
/** Results of a transition, in place of the next state. */
const MIXED = STATES;
const JOINED = STATES + 1;
/** Maximum length of a part of a compound. */
const MAX_PART_CHARS = 20;

const tables = lazy(() => {
  const kinds = latinTables().kinds;
  const classes = Uint8Array.from(kinds, (kind) => Math.max(0, CLASSES.indexOf(kind as 0)));
  for (const separator of SEPARATORS) classes[separator.charCodeAt(0)] = SEPARATOR;
  const next = new Uint8Array(STATES * 8);
  for (let state = 0; state < STATES; state++) {
    for (let each = 0; each < CLASSES.length; each++) next[state << 3 | each] = transition(state, each);
  }
  return { classes, next };
});

function transition(state: number, next: number): number {
  const size = CLASSES.length;
  const [a, b, c] = [Math.floor(state / size ** 2), Math.floor(state / size) % size, state % size];
  const [third, second, last, kind] = [a, b, c, next].map((each) => CLASSES[each] as number) as [
    number,
    number,
    number,
    number,
  ];
  if (c === SEPARATOR && second !== 0 && kind !== 0) return JOINED;
  const isMixed = (kind & UPPER) !== 0 && (last & (LOWER | NUMBER)) !== 0 ||
    (third & second & UPPER) !== 0 && (last & kind & LOWER) !== 0 ||
    (kind & NUMBER) !== 0 && (second & last & LETTER) !== 0 ||
    (second & NUMBER) !== 0 && (last & kind & LETTER) !== 0;
  return isMixed ? MIXED : (b * size + c) * size + next;
}

/**
 * Returns the words of a text that have subwords.
 *
 * @param text Text whose characters are all in the tables.
 */
export function latinNames(text: string): LatinNames {
  const { classes, next } = tables();
  const mixed: string[] = [];
  const compounds: (readonly [string, string])[] = [];
  let state = 0;
  for (let at = 0; at < text.length; at++) {
    const each = classes[text.charCodeAt(at)] as number;
    state = next[state << 3 | each] as number;
    if (state < STATES) continue;
    if (state === JOINED) {
      const compound = compoundAt(text, at - 1, classes);
      if (compound) compounds.push(compound);
      state = each;
      continue;
    }
    let start = at;
    while (isWord(text, start - 1, classes)) start--;
    while (isWord(text, at + 1, classes)) at++;
    mixed.push(text.slice(start, at + 1));
    state = classes[text.charCodeAt(at)] as number;
  }
  return { mixed, compounds };
}

/** Returns the two words around a separator, unless one is too long or a third word is joined to them. */
function compoundAt(text: string, at: number, classes: Uint8Array): readonly [string, string] | undefined {
  let start = at - 1;
  while (at - start <= MAX_PART_CHARS && isWord(text, start - 1, classes)) start--;
  let end = at + 2;
  while (end - at <= MAX_PART_CHARS + 1 && isWord(text, end, classes)) end++;
  if (at - start > MAX_PART_CHARS || end - at - 1 > MAX_PART_CHARS) return undefined;
  const isJoint = (offset: number) => classes[text.charCodeAt(offset)] === SEPARATOR;
  const isLonger = isJoint(start - 1) && isWord(text, start - 2, classes) ||
    isJoint(end) && isWord(text, end + 1, classes);
  return isLonger ? undefined : [text.slice(start, at), text.slice(at + 1, end)];
}

/**
 * Splits a word with mixed case or digits: at all boundaries, and at those between letters and digits only.
 *
 * @param word Word whose characters are all in the tables.
 */
export function splitLatin(word: string): readonly [all: string[], digits: string[]] {
  const { kinds } = latinTables();
  const kindAt = (at: number) => kinds[word.charCodeAt(at)] ?? 0;
  const all: string[] = [];
  const digits: string[] = [];
  let [start, digitStart] = [0, 0];
  for (let at = 1; at < word.length; at++) {
    const [last, kind] = [kindAt(at - 1), kindAt(at)];
    const isDigit = (kind & NUMBER) !== 0 && (last & kindAt(at - 2) & LETTER) !== 0 ||
      (last & NUMBER) !== 0 && (kind & kindAt(at + 1) & LETTER) !== 0;
    const isCapital = (kind & UPPER) !== 0 &&
      ((last & (LOWER | NUMBER)) !== 0 ||
        (last & UPPER) !== 0 && (kindAt(at + 1) & kindAt(at + 2) & LOWER) !== 0);
    if (isDigit || isCapital) all.push(word.slice(start, start = at));
    if (isDigit) digits.push(word.slice(digitStart, digitStart = at));
  }
  all.push(word.slice(start));
  digits.push(word.slice(digitStart));
  return [all, digits];
}

function isWord(text: string, at: number, classes: Uint8Array): boolean {
  const each = classes[text.charCodeAt(at)] ?? 0;
  return each !== 0 && each !== SEPARATOR;
}
