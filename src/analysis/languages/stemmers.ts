import type { IsoCode } from "multilingual-stemmer";
import { normalizeForSearch } from "../normalize.ts";
import { french, italian, portuguese, romanian, spanish } from "./light/romance.ts";
import { nordic } from "./light/nordic.ts";
import { dutch, german, greek, hindi, indonesian, persian, tamil, turkish } from "./light/other.ts";
import { arabic, arabicConsonants, hebrew } from "./light/semitic.ts";
import { bulgarian, russian, serbian, ukrainian, westSlavic } from "./light/slavic.ts";
import { estonian, finnish, finnishAlternation, hungarian } from "./light/uralic.ts";

/** Returns the stem of a word in lower case by the Snowball stemmer of a language (https://snowballstem.org). */
export type Snowball = (language: IsoCode, word: string) => string;

/** How the words of a language are stemmed. */
interface Stemming {
  /** Scripts of its words, as the inside of a character class. */
  readonly script: RegExp;
  /** Language of the Snowball stemmer. */
  readonly snowball?: IsoCode;
  /** A light stemmer, which adds a stem or several. */
  readonly light?: (word: string) => string | readonly string[];
  /** Returns a form that unrelated words may share, too. */
  readonly loose?: (word: string) => string | undefined;
  /** Whether the light stemmer continues from the Snowball stem. */
  readonly isLightOnStem?: true;
}

const latin = /^[\p{Script=Latin}\p{M}]+$/u;
const cyrillic = /^[\p{Script=Cyrillic}\p{M}]+$/u;
const arab = /^[\p{Script=Arabic}\p{M}]+$/u;
const ASCII_LETTERS = /^[a-z]+$/;

/** Languages with stems, besides English. */
const STEMMING: Readonly<Record<string, Stemming>> = {
  ar: { script: arab, snowball: "ar", light: arabic, loose: arabicConsonants },
  bg: { script: cyrillic, light: bulgarian },
  ca: { script: latin, snowball: "ca" },
  cs: { script: latin, snowball: "cs", light: westSlavic },
  da: { script: latin, snowball: "da", light: nordic },
  de: { script: latin, snowball: "de", light: german },
  el: { script: /^[\p{Script=Greek}\p{M}]+$/u, snowball: "el", light: greek },
  es: { script: latin, snowball: "es", light: spanish },
  et: { script: latin, snowball: "et", light: estonian },
  eu: { script: latin, snowball: "eu" },
  fa: { script: arab, snowball: "fa", light: persian },
  fi: { script: latin, snowball: "fi", light: finnish, loose: finnishAlternation },
  fr: { script: latin, snowball: "fr", light: french },
  he: { script: /^[\p{Script=Hebrew}\p{M}]+$/u, light: hebrew },
  hi: { script: /^[\p{Script=Devanagari}\p{M}]+$/u, snowball: "hi", light: hindi },
  hr: { script: latin, snowball: "sr", light: serbian, isLightOnStem: true },
  hu: { script: latin, snowball: "hu", light: hungarian },
  hy: { script: /^[\p{Script=Armenian}\p{M}]+$/u, snowball: "hy" },
  id: { script: latin, snowball: "id", light: indonesian },
  it: { script: latin, snowball: "it", light: italian },
  lt: { script: latin, snowball: "lt" },
  nl: { script: latin, snowball: "nl", light: dutch },
  no: { script: latin, snowball: "no", light: nordic },
  pl: { script: latin, snowball: "pl", light: westSlavic },
  pt: { script: latin, snowball: "pt", light: portuguese },
  ro: { script: latin, snowball: "ro", light: romanian },
  ru: { script: cyrillic, snowball: "ru", light: russian },
  sk: { script: latin, snowball: "cs", light: westSlavic },
  sr: { script: cyrillic, snowball: "sr", light: serbian, isLightOnStem: true },
  sv: { script: latin, snowball: "sv", light: nordic },
  ta: { script: /^[\p{Script=Tamil}\p{M}]+$/u, snowball: "ta", light: tamil },
  tr: { script: latin, snowball: "tr", light: turkish },
  uk: { script: cyrillic, light: ukrainian },
};

/** Whether documents of a language have stems, besides those of English. */
export function hasStems(language: string): boolean {
  return Object.hasOwn(STEMMING, language);
}

/** Scripts of all languages. Each one is a bit. */
const SCRIPTS = [...new Set(Object.values(STEMMING).map(({ script }) => script))];

/** Bit of the script of each language. */
const SCRIPT_BITS: ReadonlyMap<string, number> = new Map(
  Object.entries(STEMMING).map(([language, { script }]) => [language, 1 << SCRIPTS.indexOf(script)]),
);

/** Returns the bit of the script of a language; 0 if it has no stems. */
export function scriptBit(language: string): number {
  return SCRIPT_BITS.get(language) ?? 0;
}

/** Returns the bits of the scripts in which a word is written: of most words one, of others none. */
export function scriptBits(word: string): number {
  return inspect(word).scripts;
}

/** A word, as all languages need it. */
interface InspectedWord {
  readonly word: string;
  /** Bits of its scripts. */
  readonly scripts: number;
  /** The word without accents. */
  readonly folded: string;
}

/** The last word: a word of a query is stemmed in all languages of the store. */
let inspected: InspectedWord = { word: "", scripts: 0, folded: "" };

function inspect(word: string): InspectedWord {
  if (word === inspected.word) return inspected;
  const scripts = ASCII_LETTERS.test(word)
    ? 1 << SCRIPTS.indexOf(latin)
    : SCRIPTS.reduce((bits, script, index) => script.test(word) ? bits | 1 << index : bits, 0);
  return inspected = { word, scripts, folded: scripts === 0 ? word : fold(word) };
}

/** Shorter words have no endings. */
const MIN_WORD_LENGTH = 2;
/** Longer ones are no words, and have no stems. */
export const MAX_WORD_LENGTH = 64;

/** First character of a loose form, which no stem contains. */
export const LOOSE_PREFIX = "0";

/**
 * Returns the stems of a word: that of Snowball, those of a light stemmer if they differ, and a loose form after
 * {@linkcode LOOSE_PREFIX}. Two forms of a word match if they have a stem in common.
 *
 * @param word A word in lower case, with its accents: some stemmers need them. The stems have none.
 * @param language ISO 639-1 code.
 */
export function stemsIn(word: string, language: string, snowball: Snowball): string[] {
  const stemming = STEMMING[language];
  if (!stemming || word.length < MIN_WORD_LENGTH || word.length > MAX_WORD_LENGTH) return [];
  const { scripts, folded } = inspect(word);
  if ((scripts & scriptBit(language)) === 0) return [];
  const stem = stemming.snowball === undefined ? "" : fold(snowball(stemming.snowball, word));
  const light = stemming.light?.(stemming.isLightOnStem && stem !== "" ? stem : folded) ?? "";
  const loose = stemming.loose?.(folded);
  const stems = stem === "" ? [] : [stem];
  if (typeof light === "string") add(light, stems);
  else for (const each of light) add(each, stems);
  if (loose !== undefined) add(LOOSE_PREFIX + loose, stems);
  return stems;
}

function add(stem: string, stems: string[]): void {
  if (stem !== "" && !stems.includes(stem)) stems.push(stem);
}

/** Removes accents as the index does; ů alternates with o. */
function fold(word: string): string {
  if (ASCII_LETTERS.test(word)) return word;
  return normalizeForSearch(word.replaceAll("ů", "o")).toLowerCase().trim();
}
