import { lightStemmer, suffixes } from "./rules.ts";

/**
 * Arabic: "light10" of L. Larkey, L. Ballesteros & M. Connell, "Improving stemming for Arabic information
 * retrieval" (SIGIR 2002): the article with its prefixes, and the most frequent suffixes.
 */
export const arabic = lightStemmer([
  [/[أإآ]/gu, "ا"],
  [/ى$/u, "ي"],
  [/^و(?=\p{L}{3})/u, ""],
  [/^(?:وال|بال|كال|فال|لل|ال)(?=\p{L}{2})/u, ""],
  [/(?<=\p{L}{3})(?:هما|كما|نا|ها|هم|كم|هن)$/u, ""],
  [suffixes("(?<=\\p{L}{2})(?:ان|ات|ون|ين|يه|ية)"), ""],
  [suffixes("(?<=\\p{L}{3})[هةيت]"), ""],
], 2);

/** Final forms of Hebrew letters. */
const FINAL_LETTERS: Readonly<Record<string, string>> = { ם: "מ", ן: "נ", ץ: "צ", ף: "פ", ך: "כ" };

const hebrewAffixes = lightStemmer([
  // And, when, that; the article and prepositions. Stems that start with these letters lose them in all forms.
  [/^ו(?=\p{L}{3})/u, ""],
  [/^(?:לכש|מש|כש|ש)(?=\p{L}{3})/u, ""],
  [/^[הבלמכ](?=\p{L}{3})/u, ""],
  [/^[הבלמכש](?=\p{L}{3})/u, ""],
  [
    suffixes("(?<=\\p{L}{3})(?:יותיהם|ותיהם|יותיו|ותיו|ותינו|יהם|יכם|ינו|יות|ויות|ות|יים|ים|ית|נו|כם|הם|הן)"),
    "",
  ],
  [/(?<=\p{L}{3})[התויך]$/u, ""],
  [/(?<=\p{L}{3})[יו]$/u, ""],
], 3);

/** Hebrew: prefix letters (article, prepositions, conjunctions), plural, gender and possessives. */
export function hebrew(word: string): string {
  return hebrewAffixes(word).replace(/[םןץףך]$/u, (letter) => FINAL_LETTERS[letter] ?? letter);
}
