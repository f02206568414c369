import { lightStemmer, suffixes } from "./rules.ts";

/*
 * Light stemmers for Romance languages, after J. Savoy (SAC 2006, see uralic.ts): number and gender, and the
 * regular verb endings. The Snowball stemmers decide by the region of a suffix in the word, and miss some.
 */

/** French. */
export const french = lightStemmer([
  [/aux$/u, "al"],
  [/[sx]$/u, ""],
  [
    suffixes(
      "eraient issaient issons issent issant eront aient erait erons antes ante ions iere ent ant ait ais ees era",
    ),
    "",
  ],
  [suffixes("iers ier ere ee ez er ir es e"), ""],
  [/(\p{L})\1$/u, "$1"],
], 3);

/** Spanish. */
export const spanish = lightStemmer([
  [/ces$/u, "z"],
  [/(?<=[^aeiou])es$/u, ""],
  [/s$/u, ""],
  [suffixes("ando iendo aron ieron aban aba ian ia ado ada ido ida aran an en amo emo imo ar er ir"), ""],
  [/[aeo]$/u, ""],
  // Vowels that alternate: puedo, poder; prefiere, preferir.
  [/ue(?=[^aeiou]{1,2}$)/u, "o"],
  [/ie(?=[^aeiou]{1,2}$)/u, "e"],
], 3);

/** Italian: the letter h keeps a sound before another ending. */
export const italian = lightStemmer([
  [/[aeio]$/u, ""],
  [/(?<=[cg])[hi]$/u, ""],
  [/i$/u, ""],
], 3);

/** Portuguese: nasal and lateral plurals, without accents. */
export const portuguese = lightStemmer([
  [/(?:oes|aes|aos)$/u, "ao"],
  [/ns$/u, "m"],
  [/(?<=\p{L}{2})([aeou])is$/u, "$1l"],
  [/(?<=[rz])es$/u, ""],
  [/s$/u, ""],
  [/ao$/u, ""],
  [/[aeo]$/u, ""],
], 3);

/** Romanian: the definite article and the cases. */
export const romanian = lightStemmer([
  [suffixes("urilor urile ilor elor ului iilor iile ile ele lor uri iei ii ul le ea ua"), ""],
  [/(?<=[aei])l$/u, ""],
  [/[aeiu]+$/u, ""],
  // Vowels that alternate: fereastră, ferestre; școală, școli.
  [/([eo])a(?=[^aeiou]+$)/u, "$1"],
], 3);
