/**
 * Tells text from gibberish.
 *
 * A font without a map to Unicode shows letters, and yields the numbers of its glyphs: "% 3* (-./5)&". Such text must
 * not be indexed as if it could be found. A wrong verdict would drop a readable document, so doubt counts as legible:
 * numbers, code, formulae and every script pass.
 *
 * @module
 */

/** Text that {@linkcode isLegible} inspects, in UTF-16 code units from the start. */
const MAX_SAMPLE_CHARS = 20_000;
/** Shorter texts, without white space, are always legible: page numbers, initials, bullets. */
const MIN_CHARS = 6;
/** Share of characters without a meaning from which a text is illegible. */
const MAX_UNMAPPED = 0.25;
/** Share of ASCII punctuation and control codes from which a text without common words is illegible. */
const MAX_SYMBOLS = 0.55;
/** Share of letters in words of at least 3 letters that makes symbols plausible. */
const MIN_NAMES = 0.15;
/** Number of words from which their spelling is judged. */
const MIN_WORDS = 12;
/** Share of words that cannot be pronounced from which a text without common words is illegible. */
const MAX_UNPRONOUNCEABLE = 0.4;
/** Share of words that mix scripts from which a text is illegible. */
const MAX_MIXED = 0.3;
/** Share of common words that proves that a text can be read. */
const MIN_COMMON = 0.02;

/** Frequent words of the languages with Latin and Cyrillic letters; each of at least two letters. */
const COMMON_WORDS = new Set(
  ("the of and to in is for that with on as are this by from or be an it not at you if can " +
    "der die und den von zu das mit sich des auf für ist im dem nicht ein eine als auch " +
    "de la le les et des en du un une est pour que dans par sur pas au el los las una por con del se no es su " +
    "di il che per non una sono della da os um uma com não para na het een van dat niet op te zijn voor " +
    "og det at som til er på av ikke med för att och inte har jest się na nie do że jak po je si se to ve že " +
    "va ve bir bu ile için olarak ja ei on että se és az egy hogy nem și cu pe din la și este không của và các " +
    "yang dan di ini itu untuk и в на не что по как с за от для это из").split(" "),
);

/** Characters without a meaning: replacement, private use, unassigned and control characters. */
const UNMAPPED = /[\ufffd\p{Co}\p{Cn}]|(?!\s)\p{Cc}/gu;
/** A run of one symbol is a rule, a leader or a border. */
const RULES = /([^\p{L}\p{N}\s])\1{2,}/gu;
const SYMBOLS = /[!-/:-@[-`{-~\u0080-\u00a9\u00ab-\u00b9\u00bb-\u00bf\u00d7\u00f7]|(?!\s)\p{Cc}/gu;
/** Share of words and parts of names that can be pronounced, counted as often as they occur, which proves the same. */
const MIN_PRONOUNCEABLE = 0.6;
/** A Latin word in the usual case: base64 is not. */
const LATIN_WORD = /^(?:[A-ZÀ-ÞĀ-ž]?[a-zß-ž]+|[A-ZÀ-Þ]+)$/u;
/** Words of a name such as `DeclareFontShape`. */
const NAME_PARTS = /[A-ZÀ-Þ]?[a-zß-ž]{3,}/gu;
const VOWELS = /[aeiouyæœøåäöüáéíóúýàèìòùâêîôûãõëïÿąęőűůěıāēīōūơư]/i;
const CONSONANT_RUN = /[bcdfghjklmnpqrstvwxz]{6}/i;

/**
 * Whether a text can be read by people, as far as its characters tell. Reads the first 20,000 code units.
 *
 * @example
 * ```ts
 * import { isLegible } from "./legibility.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(isLegible("Water the plants every Monday."), true);
 * assertEquals(isLegible("% 3* (-./5)& !,+ '\"3"), false);
 * ```
 */
export function isLegible(text: string): boolean {
  const sample = text.slice(0, MAX_SAMPLE_CHARS).toWellFormed();
  const chars = sample.replace(/\s+/g, "").length;
  if (chars < MIN_CHARS) return true;
  if (count(sample, UNMAPPED) > chars * MAX_UNMAPPED) return false;
  const words = sample.match(/[\p{L}\p{M}]{2,}/gu) ?? [];
  if (isMixed(words)) return false;
  const common = words.filter((word) => COMMON_WORDS.has(word.toLowerCase())).length;
  if (common > words.length * MIN_COMMON) return true;
  return !isMostlySymbols(sample) && !isUnpronounceable(words);
}

/**
 * Whether a text has so many common words of at least three letters that it can only be natural language. False for
 * short texts and most languages that are written without Latin or Cyrillic letters.
 */
export function hasCommonWords(text: string): boolean {
  const words = text.slice(0, MAX_SAMPLE_CHARS).match(/\p{L}{3,}/gu) ?? [];
  const common = words.filter((word) => COMMON_WORDS.has(word.toLowerCase())).length;
  return common >= 3 && common > words.length * 2 * MIN_COMMON;
}

/** Whether punctuation outweighs letters and digits. Rules, leaders and the borders of tables do not count. */
function isMostlySymbols(sample: string): boolean {
  const rest = sample.replace(RULES, "").replace(/[|+=_-]|\.(?=\s|$)/g, "").replace(/\s+/g, "");
  if (rest.length < MIN_CHARS || count(rest, SYMBOLS) <= rest.length * MAX_SYMBOLS) return false;
  // Code has many symbols, and names between them.
  return (rest.match(/\p{L}{3,}/gu) ?? []).join("").length < rest.length * MIN_NAMES;
}

/** Whether most Latin words lack vowels, as in a text whose letters are shifted by a constant. */
function isUnpronounceable(words: readonly string[]): boolean {
  // Distinct words: code repeats its prefixes. Words of other scripts count as pronounceable.
  const distinct = new Set(
    words.filter((word) => word.length >= 4 || /(?!\p{Script=Latin})\p{L}/u.test(word)),
  );
  const judged = [...distinct].filter((word) =>
    LATIN_WORD.test(word) || /(?!\p{Script=Latin})\p{L}/u.test(word)
  );
  if (judged.length < MIN_WORDS) return false;
  const bad = judged.filter((word) => LATIN_WORD.test(word) && !canBePronounced(word));
  if (bad.length <= judged.length * MAX_UNPRONOUNCEABLE) return false;
  // A listing has many short codes, between a few names that it repeats.
  const parts = words.flatMap((word) => word.match(NAME_PARTS) ?? []);
  return parts.length === 0 || parts.filter(canBePronounced).length < parts.length * MIN_PRONOUNCEABLE;
}

function canBePronounced(word: string): boolean {
  return VOWELS.test(word) && !CONSONANT_RUN.test(word);
}

/** Scripts that occur in one word. Han, kana, hangul and bopomofo count as one. */
const SCRIPTS: readonly RegExp[] = [
  /[\p{Script=Latin}]/u,
  /[\p{Script=Cyrillic}]/u,
  /[\p{Script=Greek}\p{Script=Coptic}]/u,
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u,
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u,
  /[\p{Script=Hebrew}]/u,
  /[\p{Script=Armenian}\p{Script=Georgian}\p{Script=Ethiopic}\p{Script=Cherokee}\p{Script=Canadian_Aboriginal}]/u,
  /[\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}]/u,
  /[\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}]/u,
  /[\p{Script=Thai}\p{Script=Lao}\p{Script=Tibetan}\p{Script=Myanmar}\p{Script=Khmer}\p{Script=Mongolian}]/u,
];

/** Whether words mix scripts, as in a text whose glyph numbers were taken for Unicode. */
function isMixed(words: readonly string[]): boolean {
  const foreign = words.filter((word) => /(?!\p{Script=Latin})\p{L}/u.test(word));
  if (foreign.length < 3) return false;
  const mixed = foreign.filter((word) => {
    const found = SCRIPTS.filter((script) => script.test(word)).length;
    // Latin next to ideographs ("PDFファイル") and Greek in units ("μm") are usual.
    return found > 2 || (found === 2 && !/[\p{Script=Latin}\p{Script=Greek}]/u.test(word));
  });
  return mixed.length > words.length * MAX_MIXED;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
