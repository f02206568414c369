import { canSpell } from "./alphabets.ts";
import { isPlainEnglish } from "./plain_english.ts";
import { hasStems } from "./stemmers.ts";
import { loadedDetector, loadedStemmers } from "./tables.ts";

/** Languages of a text. */
export interface TextLanguages {
  /** ISO 639-1 code of the main language, or null if it is unknown or uncertain. */
  readonly language: string | null;
  /** Languages whose stems its words get: the likely ones, except English. */
  readonly stemmed: readonly string[];
}

/** Length of the beginning that is inspected, in UTF-16 code units. */
export const LANGUAGE_SAMPLE_CHARS = 2000;

/** Scripts that one language, or one large language, is written in. */
const SCRIPT_LANGUAGES: readonly (readonly [script: string, language: string])[] = [
  ["Greek", "el"],
  ["Hebrew", "he"],
  ["Armenian", "hy"],
  ["Georgian", "ka"],
  ["Tamil", "ta"],
  ["Telugu", "te"],
  ["Bengali", "bn"],
  ["Gujarati", "gu"],
  ["Kannada", "kn"],
  ["Malayalam", "ml"],
  ["Thai", "th"],
  ["Lao", "lo"],
  ["Khmer", "km"],
  ["Myanmar", "my"],
  ["Hangul", "ko"],
  ["Hiragana", "ja"],
  ["Katakana", "ja"],
  ["Han", "zh"],
];
/** Scripts of several languages, which the n-grams of words tell apart. */
const SHARED_SCRIPTS = ["Latin", "Cyrillic", "Arabic", "Devanagari"] as const;

const ASCII = /^[\0-\x7f]*$/;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
/** Languages whose terms are derived from characters or Hangul, even of a few words in a text of another one. */
const UNSPACED: readonly (readonly [language: string, pattern: RegExp])[] = [
  ["zh", /\p{Script=Han}/u],
  ["ja", KANA],
  ["ko", /\p{Script=Hangul}/u],
];

/** Scripts that Chinese and Japanese words are written in. */
const HAN_AND_KANA = ["Han", "Hiragana", "Katakana"] as const;
/** Letters of a typical word in scripts without spaces: a clause of them is one of {@linkcode WORDS}. */
const UNSPACED_WORD_CHARS: ReadonlyMap<string, number> = new Map([
  ...HAN_AND_KANA.map((script) => [script, 2] as const),
  ...["Thai", "Lao", "Khmer", "Myanmar"].map((script) => [script, 4] as const),
]);

const WORDS = /[\p{L}\p{M}]+/gu;
const scriptPatterns = new Map(
  [...SCRIPT_LANGUAGES.map(([script]) => script), ...SHARED_SCRIPTS].map((script) =>
    [script, new RegExp(`^\\p{Script_Extensions=${script}}`, "u")] as const
  ),
);

/** Text in a second script has at least this number of words to be stemmed, too. */
const MIN_SECOND_SCRIPT_WORDS = 3;
/** Maximum number of likely languages of a text. */
const MAX_LIKELY = 3;
/** A language is likely with this share of the score of the most likely one; see {@linkcode likelihoodOf}. */
const LIKELY_SHARE = 0.85;
/** Same, for a text of few words. */
const LIKELY_SHARE_OF_FEW = 0.65;
const FEW_WORDS = 5;
/** The language of fewer different words is uncertain. */
const MIN_WORDS = 3;
/** A language whose alphabet has all letters is preferred with this share of the score of the most likely one. */
const MIN_SPELLED_SHARE = 0.4;
/** Scores below this are those of names, numbers and code. */
const MIN_SCORE = 15;

/**
 * Returns the languages of a text, by its scripts and by the n-grams of its words.
 *
 * @param text Beginning of a document; {@linkcode LANGUAGE_SAMPLE_CHARS} are enough.
 * @returns Undefined if the detector or stems are needed and `loadLanguages` has not been awaited.
 *
 * @example
 * ```ts
 * import { languagesOf } from "./document_language.ts";
 * import { loadLanguages } from "./tables.ts";
 * import { assertEquals } from "@std/assert";
 * await loadLanguages();
 * assertEquals(languagesOf("Οι συναντήσεις γίνονται κάθε Δευτέρα"), { language: "el", stemmed: ["el"] });
 * ```
 */
export function languagesOf(text: string): TextLanguages | undefined {
  const sample = text.slice(0, LANGUAGE_SAMPLE_CHARS);
  if (isPlainEnglish(sample)) return { language: "en", stemmed: [] };
  const words = wordsByScript(sample);
  const [main, ...others] = [...words].sort(([a], [b]) => wordCount(b, words) - wordCount(a, words));
  if (!main) return { language: null, stemmed: [] };
  const languages = languagesOfScript(...main);
  const second = others
    .filter(([, found]) => found.length >= MIN_SECOND_SCRIPT_WORDS)
    .map((found) => languagesOfScript(...found));
  if (!languages || second.includes(undefined)) return undefined;
  // A Japanese text may have more Chinese characters than kana.
  const language = languages.language === "zh" && KANA.test(sample) ? "ja" : languages.language;
  const stemmed = new Set([
    ...languages.stemmed,
    ...second.flatMap((each) => each?.stemmed ?? []),
    ...UNSPACED.filter(([, pattern]) => pattern.test(sample)).map(([derived]) => derived),
  ]);
  // The terms of the document could not be derived yet.
  if (stemmed.size > 0 && !loadedStemmers()) return undefined;
  return { language, stemmed: [...stemmed] };
}

function languagesOfScript(script: string, words: readonly string[]): TextLanguages | undefined {
  const own = SCRIPT_LANGUAGES.find(([name]) => name === script)?.[1];
  if (own !== undefined) return { language: own, stemmed: hasStems(own) ? [own] : [] };
  const detector = loadedDetector();
  if (!detector) return undefined;
  const scores = detector.detect(words);
  const spelled = scores
    .filter(({ score }) => score >= (scores[0]?.score ?? 0) * MIN_SPELLED_SHARE)
    .filter(({ language }) => canSpell(language, words));
  const [first, ...others] = spelled.length > 0 ? spelled : scores;
  if (!first || first.score < MIN_SCORE) return { language: null, stemmed: [] };
  const minScore = first.score * (words.length < FEW_WORDS ? LIKELY_SHARE_OF_FEW : LIKELY_SHARE);
  const likely = [first, ...others.filter(({ score }) => score >= minScore)].slice(0, MAX_LIKELY);
  return {
    language: likely.length === 1 && new Set(words).size >= MIN_WORDS ? first.language : null,
    stemmed: likely.map(({ language }) => language).filter(hasStems),
  };
}

/** Returns about how many words there are, so that names and code do not outnumber the few long clauses of a Japanese text. */
function wordCount(script: string, words: ReadonlyMap<string, readonly string[]>): number {
  const chars = UNSPACED_WORD_CHARS.get(script);
  if (chars === undefined) return words.get(script)?.length ?? 0;
  const scripts = HAN_AND_KANA.some((name) => name === script) ? HAN_AND_KANA : [script];
  const clauses = scripts.flatMap((name) => words.get(name) ?? []);
  return clauses.reduce((sum, { length }) => sum + Math.max(1, length / chars), 0);
}

function wordsByScript(text: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  let last = "Latin";
  if (ASCII.test(text)) {
    const words = text.toLowerCase().match(/[a-z]+/g);
    return words ? found.set(last, words) : found;
  }
  for (const [word] of text.toLowerCase().matchAll(WORDS)) {
    if (!scriptPatterns.get(last)?.test(word)) {
      last = [...scriptPatterns].find(([, pattern]) => pattern.test(word))?.[0] ?? last;
    }
    const words = found.get(last);
    if (words) words.push(word);
    else found.set(last, [word]);
  }
  return found;
}
