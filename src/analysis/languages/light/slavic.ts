import { lightStemmer, type Rule, suffixes } from "./rules.ts";

/*
 * Light stemmers for Slavic languages: case endings, after L. Dolamic & J. Savoy, "Indexing and stemming
 * approaches for the Czech language" (IPM 2009) and J. Savoy, "Searching strategies for the Bulgarian language"
 * (IR 2007), and the vowels that come and go in a stem. Normalization has removed accents: й is и, ї is і.
 */

/** A vowel before the last consonant, which other forms of the word lack: `книжек`, `книжка`. */
const FLEETING: Rule = [/(?<=[^аеиіоуыэюяь])[оеь]([кцнлрт])$/u, "$1"];

/** Ukrainian: endings of nouns, adjectives and verbs; і alternates with о and е. */
export const ukrainian = lightStemmer([
  [/(?:ся|сь)$/u, ""],
  [
    suffixes(
      "ами ями ими іми ого ому ові еві ою ею єю ах ях их іх ам ям ом ем єм им ім ів ів іи ии еи ую юю ає ує ють уть ають ять ать ати " +
        "ити іти ала ила али или ало ило в а я у ю е є и і о ь",
    ),
    "",
  ],
  [/[аеиіоуюяєь]$/u, ""],
  [/[еі](?=[^аеиіоуюяє]{1,2}$)/u, "о"],
  FLEETING,
  [/[зж]$/u, "г"],
  [/[цч]$/u, "к"],
  [/[сш]$/u, "х"],
]);

/** Russian: the same alternations; Snowball removes the endings. */
export const russian = lightStemmer([
  [
    suffixes(
      "иями ями ами ого его ому ему ыми ими ую юю ая яя ое ее ие ые ии ыи ои еи ях ах ям ам ом ем ов ев ью ия ию " +
        "ы и а я о у е ь ю",
    ),
    "",
  ],
  [/[аеиоуыюяь]$/u, ""],
  FLEETING,
]);

/** Bulgarian: the definite article, plural and gender. */
export const bulgarian = lightStemmer([
  [suffixes("ят ът та то те ия"), ""],
  [suffixes("овци евци ища ове еве ии еи ата ите ето"), ""],
  [/[аеиоуюяъ]$/u, ""],
  [/(?<=[^аеиоуъюя])[ъе]([кцнлрт])$/u, "$1"],
  [/[цч]$/u, "к"],
  [/з$/u, "г"],
]);

/** Serbian and Croatian, in Latin letters: endings, and a before the last consonant. */
export const serbian = lightStemmer([
  [suffixes("ovima evima ima ama ovi evi ova eva om em og oj ih im u a e i o"), ""],
  [/(?<=[^aeiou])a([kcnlrt])$/u, "$1"],
  [/[cč]$/u, "k"],
]);

/** Polish and Czech: e before the last consonant, and consonants that endings soften. */
export const westSlavic = lightStemmer([
  [suffixes("ami emi ach ech ich ego eho emu ymi imi owi ovi em om ow ou ej e a i o u y"), ""],
  [/i$/u, ""],
  // Alternations: sąsiad, sąsiedzi; las, lesie; książka, książek; pies, psy.
  [/dz$/u, "d"],
  [/rz$/u, "r"],
  [/sc$/u, "st"],
  [/ia(?=[^aeiouy]+$)/u, "ie"],
  [/(?<=l)a(?=[^aeiouy]+$)/u, "e"],
  [/(?<=[^aeiouy])e([kcnlrt])$/u, "$1"],
  [/(?<=^[^aeiouy])ie([snl])$/u, "$1"],
  [/(?:cz|c)$/u, "k"],
], 2);
