/*
 * Digits of other scripts. The index keeps those of the document, since older stores do, and a query is expanded.
 * Normalization folds full-width digits and the like.
 */

/** Digit zero of the languages with digits of their own, by ISO 639-1 code. The others follow it. */
const ZEROS: ReadonlyMap<string, number> = new Map([["ar", 0x660], ["fa", 0x6f0], ["hi", 0x966]]);

const DIGITS = /^\p{Nd}+$/u;
const OTHER_DIGIT = /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f]/g;

/** Replaces Arabic, Persian and Devanagari digits with those of ASCII. */
export function asciiDigits(text: string): string {
  return text.replace(OTHER_DIGIT, (digit) => {
    const code = digit.charCodeAt(0);
    const zero = [...ZEROS.values()].findLast((first) => first <= code) as number;
    return String(code - zero);
  });
}

/**
 * Returns a number in the digits of each of some languages that has its own, as far as it has others; none for other
 * words.
 *
 * @param languages ISO 639-1 codes.
 */
export function digitForms(word: string, languages: readonly string[]): string[] {
  if (!DIGITS.test(word)) return [];
  const ascii = asciiDigits(word);
  return languages.flatMap((language) => {
    const zero = ZEROS.get(language);
    const form = zero === undefined
      ? word
      : ascii.replace(/\d/g, (digit) => String.fromCharCode(zero + Number(digit)));
    return form === word ? [] : [form];
  });
}
