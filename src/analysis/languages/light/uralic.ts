import { lightStemmer, suffixes } from "./rules.ts";

/*
 * Light stemmers for Finnish, Estonian and Hungarian, after J. Savoy, "Light stemming approaches for the French,
 * Portuguese, German and Hungarian languages" (SAC 2006). They remove what the Snowball stemmers keep, and map
 * alternating consonants to one.
 */

/** Finnish: particles, possessives, cases, plural; then consonant gradation and alternating endings. */
export const finnish = lightStemmer([
  [suffixes("kaan kin han ko"), ""],
  [suffixes("mme nne nsa ni"), ""],
  // A nominative such as palvelin, whose other forms have m.
  [/(?<=\p{L}{3}[^i])in$/u, "im"],
  [
    suffixes(
      "issa ista illa ilta ille iksi ina issaan ssa sta lla lta lle ksi seen siin iden itten ien jen itta ita na " +
        "aan een iin oon uun yyn hin han hon hun hyn t n a",
    ),
    "",
  ],
  [/(?<=[^aeiouy]|aa|ee|ii|oo|uu|yy)ta$/u, ""],
  [/nen?$/u, "s"],
  [/(?:kse|ks|kset)$/u, "s"],
  [/[aeiouy]+$/u, ""],
  [/(?:ks)$/u, "s"],
  [/(?<=[aeiouy]{1,2}[^aeiouy]+)as$/u, ""],
  [/([kpt])\1$/u, "$1"],
  [/(?:nt|nn|nk|ng)$/u, "n"],
  [/(?:mp|mm)$/u, "m"],
  [/(?:lt|ll)$/u, "l"],
  [/(?:rt|rr)$/u, "r"],
  [/(?<=[aeiouylr])d$/u, "t"],
  [/(?<=[aeiouylr])v$/u, "p"],
]);

/** Finnish words whose stem ends in s or t, which alternate with d: käsi, käden. Unrelated words match, too. */
export function finnishAlternation(word: string): string | undefined {
  const stem = finnish(word);
  return /[aeiouy][st]$/u.test(stem) ? stem.slice(0, -1) + "t" : undefined;
}

/** Estonian: cases of the plural and the singular, and the final vowel. */
export const estonian = lightStemmer([
  [
    suffixes(
      "dele tele dega tega deks teks dest test des tes del tel delt telt dena tena deni teni deta teta de te " +
        "id sse st le lt ks ga ta na ni d",
    ),
    "",
  ],
  [/(?<=\p{L}{4}[aeiou])[lst]$/u, ""],
  [/[aeiou]$/u, ""],
  [/(?<=[aeiou])([bdgkpt])\1$/u, "$1"],
]);

const hungarianEndings = lightStemmer([
  [/([bcdfgjklmnprstvz]|sz|zs|gy|ny|ty|cs)\1[ae]l$/u, "$1"],
  [
    suffixes(
      "ban ben bol bal tol rol hoz hez hox nak nek val vel ert kent kor ig nal nel ra re ba be " +
        "on en n (?<=[aeiou])t (?<=\\p{L}{3})at et ot",
    ),
    "",
  ],
  [
    suffixes("jaink jeink aink eink jaik jeik aik eik atok etek otok aim eim unk uk nk jai jei ai ei ja je"),
    "",
  ],
  [suffixes("(?<=\\p{L}{3})(?:ak|ek|ok) k"), ""],
  [/[aeiou]$/u, ""],
  // A vowel that the plural lacks: bokor, bokrok.
  [/(?<=[^aeiou])[oe]([rlmnz])$/u, "$1"],
]);

/**
 * Hungarian: cases, possessives and plural, and the final vowel. A basic form that ends like an ending (ablak,
 * barát) also stays whole.
 *
 * @returns One or two stems.
 */
export function hungarian(word: string): string[] {
  return /[ae][kt]$/u.test(word) ? [hungarianEndings(word), word] : [hungarianEndings(word)];
}
