import { lightStemmer, suffixes } from "./rules.ts";

/** Dutch: plurals in -eren (kind, kinderen), and words that end in s (fiets, fietsen). Snowball has the rest. */
export function dutch(word: string): string[] {
  if (/(?<=\p{L}{3})eren$/u.test(word)) return [word.slice(0, -"eren".length)];
  return /(?<=[^aeiou])s$/u.test(word) ? [word] : [];
}

/** German: women (Nachbarin, Nachbarinnen). Snowball has the rest. */
export function german(word: string): string[] {
  return /(?<=\p{L}{3})innen$/u.test(word) ? [word.slice(0, -"nen".length)] : [];
}

/** Greek: endings of nouns that Snowball takes for parts of the stem, and the reverse (παιδί, παιδιά). */
export const greek = lightStemmer([
  [suffixes("ιου ιων εων εις ιοι ους ου ων ος οσ οι ασ εσ ησ υσ ια ιο α ο η ε υ ι"), ""],
  [/[ιυ]$/u, ""],
]);

/** Persian: plurals, possessives, ezafe and comparatives, in Arabic or Persian letters. */
export const persian = lightStemmer([
  [/ي/gu, "ی"],
  [/ك/gu, "ک"],
  [/^ن?می(?=\p{L}{3})/u, ""],
  [suffixes("(?<=\\p{L}{2})(?:هایشان|هایمان|هایتان|هایی|هایم|هایت|هایش|های|ها)"), ""],
  [/(?<=\p{L}{3})[یم]$/u, ""],
  [suffixes("(?<=\\p{L}{3})(?:شان|مان|تان|ترین|تر|ان|ات|ین)"), ""],
  [suffixes("(?<=\\p{L}{3})(?:ان|ات)"), ""],
  [/(?<=\p{L}{3})[یمتش]$/u, ""],
], 2);

/** Hindi: S. Ramanathan & D. Rao, "A lightweight stemmer for Hindi" (EACL 2003), the endings of nouns. */
export const hindi = lightStemmer([
  [/ँ/gu, "ं"],
  [/़/gu, ""],
  [suffixes("ियों ियां ियाँ ाओं ुओं ुएं ाएं इयां इयों इयाँ ओं एं ों ें ीं ां ाई ाए"), ""],
  [/[ािीुूेैोौंईइ]$/u, ""],
], 2);

/** Tamil: alternating endings of nouns in -am, which Snowball keeps. */
export const tamil = lightStemmer([
  [
    suffixes("க்களின் க்களை க்களில் க்களுக்கு க்கள் ங்களின் ங்களை ங்களில் ங்களுக்கு ங்கள் த்தின் த்தில் த்தை த்திற்கு த்துக்கு த்த ம் ங்"),
    "",
  ],
  [suffixes("களின் களை களில் களுக்கு கள் ுக்கு ிலிருந்து ில் ின் ை ு"), ""],
  [/ட்ட?்?$/u, "ட"],
], 2);

const turkishEndings = lightStemmer([
  // A plural ends the stem; what follows are possessives and cases.
  [/(?<=\p{L}{2})l[ae]r(?:[iu]\p{L}*|[dt][ae]\p{L}*|[aen]|l[ae]|e|a)?$/u, ""],
  [/(?<=\p{L}{2})(?:n?[dt][ae]n?(?:ki)?)$/u, ""],
  [/(?<=\p{L}{2})(?:[iu]m[iu]z|[iu]n[iu]z|m[iu]z|n[iu]z)[aeiuny]*$/u, ""],
  [/(?<=\p{L}{3})(?:y?l[ae]|n[iu]n|[iu]n|y[aeiu]|s[iu]n?[aeiu]?|n[aeiu]|[iu]m)$/u, ""],
  [/[aeiu]$/u, ""],
  [/b$/u, "p"],
  [/g$/u, "k"],
  [/d$/u, "t"],
  // A vowel that endings drop: şehir, şehri.
  [/(?<=[^aeiou])[iu]([lrmnz])$/u, "$1"],
], 2);

/** Turkish: chains of plural, possessive and case, and the final consonant that they soften. */
export function turkish(word: string): string {
  return turkishEndings(word);
}

/**
 * Indonesian: the prefixes meN- and peN- replace the first consonant of a stem (`tulis`, `menulis`), so that
 * stems that start with such a consonant are also known without it.
 */
export const indonesian = lightStemmer([
  [/(?:nya|lah|kah|pun)$/u, ""],
  [/^ke(\p{L}{3,})an$/u, "$1"],
  [/(?<=\p{L}{4})(?:kan|an|i)$/u, ""],
  [/^(?:memper|diper|menge)(?=\p{L}{3})/u, ""],
  [/^(?:meng|peng|meny|peny|mem|pem|men|pen|me|di|ber|bel|ter|per|pel|se)(?=\p{L}{3})/u, ""],
  [/^[tpks](?=[aeiou]\p{L}{2})/u, ""],
], 3);
