import { lightStemmer, type Rule, suffixes } from "./rules.ts";

/** The article and its prefixes. */
const ARABIC_PREFIXES: readonly Rule[] = [
  [/[أإآ]/gu, "ا"],
  [/ى$/u, "ي"],
  [/^و(?=\p{L}{3})/u, ""],
  [/^(?:وال|بال|كال|فال|لل|ال)(?=\p{L}{2})/u, ""],
];

/**
 * Arabic: "light10" of L. Larkey, L. Ballesteros & M. Connell, "Improving stemming for Arabic information
 * retrieval" (SIGIR 2002): the article with its prefixes, and the most frequent suffixes.
 */
export const arabic = lightStemmer([
  ...ARABIC_PREFIXES,
  [/(?<=\p{L}{3})(?:هما|كما|نا|ها|هم|كم|هن)$/u, ""],
  [suffixes("(?<=\\p{L}{2})(?:ان|ات|ون|ين|يه|ية|يت)"), ""],
  [suffixes("(?<=\\p{L}{3})[هةيت]"), ""],
], 2);

const withoutArabicVowels = lightStemmer([
  ...ARABIC_PREFIXES,
  [suffixes("(?<=\\p{L}{3})(?:ات|ون|ين|ها|نا|[هة])"), ""],
  // The prefixes of verbs, and of the plural أفعال (قلم, أقلام).
  [/^[اي](?=\p{L}{3})/u, ""],
  [/(?<=\p{L})[اء]/gu, ""],
  // فواعل (نافذة, نوافذ), then فعول and فعيل (بيت, بيوت; مدينة, مدن).
  [/^(\p{L})و(?=\p{L}{2})/u, "$1"],
  [/(?<=\p{L}{2})[وي](?=\p{L}$)/u, ""],
], 3);

/**
 * Returns the consonants of an Arabic stem, without long vowels: most plurals change the vowels inside of the
 * word (`كتاب`, `كتب`). Unrelated words share them, too.
 */
export function arabicConsonants(word: string): string | undefined {
  const consonants = withoutArabicVowels(word);
  return consonants.length >= 3 ? consonants : undefined;
}

/** Final forms of Hebrew letters. */
const FINAL_LETTERS: Readonly<Record<string, string>> = { ם: "מ", ן: "נ", ץ: "צ", ף: "פ", ך: "כ" };

const hebrewPrefixes = /^(?:ו|כש|לכש|מש|[שהבלמכ])(?=\p{L}{3})/u;
const hebrewSuffixes = lightStemmer([
  [
    suffixes(
      "(?<=\\p{L}{3})(?:יותיהם|ותיהם|יותיו|ותיו|ותינו|יהם|יכם|ינו|יות|ויות|ות|יים|ים|ית|נו|כם|הם|הן)",
    ),
    "",
  ],
  [/(?<=\p{L}{3})[התויך]$/u, ""],
  [/(?<=\p{L}{3})[יו]$/u, ""],
], 3);

/**
 * Hebrew: prefix letters (article, prepositions, conjunctions), plural, gender and possessives. A word that
 * starts with such a letter loses it in all of its forms. Prefixes and suffixes compete for the last three
 * letters, so that both orders are tried.
 *
 * @returns One or two stems.
 */
export function hebrew(word: string): string[] {
  return [hebrewSuffixes(withoutPrefixes(word)), withoutPrefixes(hebrewSuffixes(word))]
    .map((stem) => stem.replace(/[םןץףך]$/u, (letter) => FINAL_LETTERS[letter] ?? letter));
}

function withoutPrefixes(word: string): string {
  let stem = word;
  for (let next = stem; (next = stem.replace(hebrewPrefixes, "")) !== stem;) stem = next;
  return stem;
}
