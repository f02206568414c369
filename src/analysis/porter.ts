/*
 * The Porter stemmer as FTS5 implements it (Porter 1980, "An algorithm for suffix stripping"), for the hundreds
 * of candidates of a spelling correction: FTS5 itself takes several microseconds per word. A test compares both
 * on random words.
 */

/** FTS5 does not stem shorter or longer words. */
const MIN_CHARS = 3;
const MAX_CHARS = 64;

/** The last letters of words that change. */
const LAST_LETTERS = "cdegilmnrstuy";

/** Suffixes and their replacements, by the letter before the last. */
type Rules = ReadonlyMap<string, readonly (readonly [suffix: string, replacement: string])[]>;

/** Parses rules such as `ational:ate`. A suffix without a replacement is removed. */
function rules(text: string): Rules {
  const parsed = text.split(" ").map((rule) => rule.split(":")).map(([suffix = "", replacement = ""]) =>
    [suffix, replacement] as const
  );
  return Map.groupBy(parsed, ([suffix]) => suffix.at(-2) ?? "");
}

const STEP_2 = rules(
  "ational:ate tional:tion enci:ence anci:ance izer:ize logi:log bli:ble alli:al entli:ent eli:e ousli:ous " +
    "ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble",
);
const STEP_3 = rules("ical:ic ness icate:ic iciti:ic ful ative alize:al");
const STEP_4 = rules("al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize");

/**
 * Returns the stem of a word of lower-case ASCII letters and digits.
 *
 * @example
 * ```ts
 * import { porterStem } from "./porter.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(["generalizations", "relevance", "sky"].map(porterStem), ["gener", "relev", "sky"]);
 * ```
 */
export function porterStem(word: string): string {
  if (word.length < MIN_CHARS || word.length > MAX_CHARS) return word;
  if (!LAST_LETTERS.includes(word[word.length - 1] as string)) return word;
  let stem = withoutParticiple(withoutPlural(word));
  if (stem.endsWith("y") && hasVowel(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`;
  stem = replaceSuffix(stem, STEP_2, 1);
  stem = replaceSuffix(stem, STEP_3, 1);
  stem = replaceSuffix(stem, STEP_4, 2);
  return withoutFinalE(stem);
}

function withoutPlural(word: string): string {
  if (!word.endsWith("s") || word.endsWith("ss")) return word;
  const isLong = (word.endsWith("sses") && word.length > 4) || (word.endsWith("ies") && word.length > 3);
  return word.slice(0, isLong ? -2 : -1);
}

function withoutParticiple(word: string): string {
  if (word.endsWith("eed") && word.length > 3) {
    return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  }
  const length = word.endsWith("ed") ? 2 : word.endsWith("ing") ? 3 : 0;
  const stem = word.slice(0, word.length - length);
  if (length === 0 || stem === "" || !hasVowel(stem)) return word;
  if (stem.length > 2 && (stem.endsWith("at") || stem.endsWith("bl") || stem.endsWith("iz"))) {
    return `${stem}e`;
  }
  const last = stem.at(-1) ?? "";
  if (last === stem.at(-2) && !isVowel(last, false) && !"lsz".includes(last)) return stem.slice(0, -1);
  return measure(stem) === 1 && endsInShortSyllable(stem) ? `${stem}e` : stem;
}

function replaceSuffix(word: string, rules: Rules, minMeasure: number): string {
  const rule = rules.get(word.at(-2) ?? "")?.find(([suffix]) =>
    word.length > suffix.length && word.endsWith(suffix)
  );
  if (!rule) return word;
  const [suffix, replacement] = rule;
  const stem = word.slice(0, -suffix.length);
  const isAllowed = suffix !== "ion" || /[st]$/.test(stem);
  return isAllowed && measure(stem) >= minMeasure ? stem + replacement : word;
}

function withoutFinalE(word: string): string {
  let stem = word;
  if (word.endsWith("e")) {
    const shorter = word.slice(0, -1);
    const m = measure(shorter);
    if (m > 1 || (m === 1 && !endsInShortSyllable(shorter))) stem = shorter;
  }
  return stem.endsWith("ll") && measure(stem.slice(0, -1)) > 1 ? stem.slice(0, -1) : stem;
}

/** Returns the number of vowel–consonant sequences, at most 2: Porter's m. */
function measure(stem: string): number {
  let count = 0;
  let isConsonant = false;
  for (let at = 0; at < stem.length; at++) {
    const wasVowel = at > 0 && !isConsonant;
    isConsonant = !isVowel(stem[at] as string, isConsonant);
    if (isConsonant && wasVowel && ++count === 2) break;
  }
  return count;
}

/** Whether a stem ends in consonant, vowel, consonant, but not in w, x or y: Porter's `*o`. */
function endsInShortSyllable(stem: string): boolean {
  if (/[wxy]$/.test(stem)) return false;
  let isConsonant = false;
  let pattern = "";
  for (const letter of stem) {
    isConsonant = !isVowel(letter, isConsonant);
    pattern += isConsonant ? "c" : "v";
  }
  return pattern.endsWith("cvc");
}

function hasVowel(stem: string): boolean {
  for (let at = 0; at < stem.length; at++) if (isVowel(stem[at] as string, at > 0)) return true;
  return false;
}

function isVowel(letter: string, isYVowel: boolean): boolean {
  return letter === "a" || letter === "e" || letter === "i" || letter === "o" || letter === "u" ||
    (isYVowel && letter === "y");
}
