import { lightStemmer, suffixes } from "./rules.ts";

/*
 * A light stemmer for Danish, Norwegian and Swedish: definite forms and plurals. Without accents, most plurals
 * with a changed vowel keep their stem (hand, händer), and a doubled consonant is one (fot, fötter).
 */

/** Danish, Norwegian and Swedish. */
export const nordic = lightStemmer([
  [/(?<=\p{L}{3})s$/u, ""],
  [
    suffixes(
      "arna erna orna arne erne eren eret erene ene ane ens ets ar er or re ere en et an na a e t n r",
    ),
    "",
  ],
  [/ae/gu, "a"],
  [/ck$/u, "k"],
  [/(\p{L})\1$/u, "$1"],
  [/(?<=[^aeiouy])[aeiouy]$/u, ""],
  // A vowel that the plural lacks: nyckel, nycklar.
  [/(?<=[^aeiouy])e([lrn])$/u, "$1"],
], 3);
