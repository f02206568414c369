import { alphabeticCost, eastAsianCost } from "./character_model.ts";
import { CODE_PAGES, decodePage, EBCDIC_PAGES } from "./code_pages.ts";

/** Number of bytes that are decoded with each encoding. */
const SAMPLE_BYTES = 8_192;
/** Maximum length of a line in the sample, in bytes. */
const MAX_LINE_BYTES = 512;
/** Maximum number of bytes that are searched for lines beyond ASCII. */
const MAX_SEARCHED_BYTES = 64 * 2 ** 20;

const WESTERN = "en de fr es it pt nl da sv no fi is ca";
const CENTRAL = "pl cs sk hu ro sl hr sq";
const CYRILLIC = "ru uk bg sr be mk";

/**
 * Encodings with their languages, and their rarity as the negative logarithm of their share. The ISO encodings have
 * the same letters at other bytes; the Windows ones are more frequent.
 */
const ENCODINGS: readonly (readonly [label: string, languages: string, rarity: number])[] = [
  ["windows-1252", WESTERN, 0],
  ["iso-8859-15", WESTERN, 3],
  ["macintosh", WESTERN, 6],
  ["cp850", WESTERN, 5],
  ["cp437", WESTERN, 6],
  ["windows-1250", CENTRAL, 2],
  ["iso-8859-2", CENTRAL, 2.5],
  ["cp852", CENTRAL, 5],
  ["iso-8859-16", "ro", 5],
  ["windows-1251", CYRILLIC, 1],
  ["koi8-r", "ru", 2],
  ["koi8-u", "uk", 2.5],
  ["ibm866", "ru uk be", 3],
  ["iso-8859-5", CYRILLIC, 4],
  ["cp855", CYRILLIC, 5],
  ["x-mac-cyrillic", "ru uk", 6],
  ["windows-1253", "el", 1],
  ["iso-8859-7", "el", 1.5],
  ["cp737", "el", 4],
  ["windows-1254", "tr az", 2],
  ["cp857", "tr", 5],
  ["windows-1255", "he", 1],
  ["iso-8859-8-i", "he", 2],
  ["cp862", "he", 4],
  ["windows-1256", "ar fa ur", 1],
  ["iso-8859-6", "ar", 2],
  ["windows-1257", "lt lv et", 2],
  ["iso-8859-13", "lt lv", 3],
  ["iso-8859-4", "lt lv et", 4],
  ["cp775", "lt lv et", 5],
  ["windows-1258", "vi", 2],
  ["windows-874", "th", 1],
  ["shift_jis", "ja", 1],
  ["euc-jp", "ja", 1],
  ["gb18030", "zh-Hans", 1],
  ["big5", "zh-Hant", 1],
  ["euc-kr", "ko", 1],
];

/** Likely encoding of a text. */
export interface EncodingGuess {
  /** Label for {@linkcode decodeWith}. */
  readonly encoding: string;
  /** Probability of the text, from 0 to 1: other encodings may yield the same. */
  readonly confidence: number;
}

/** Decodes bytes with an encoding of `TextDecoder` or of `code_pages.ts`. Invalid bytes become U+FFFD. */
export function decodeWith(bytes: Uint8Array, label: string): string {
  return CODE_PAGES.has(label) ? decodePage(bytes, label) : new TextDecoder(label).decode(bytes);
}

/** Guesses the encoding of a text beyond ASCII that is not Unicode. */
export function guessEncoding(bytes: Uint8Array): EncodingGuess {
  return likeliest(sampleOf(bytes), ENCODINGS);
}

/** Guesses the EBCDIC code page of a text. */
export function guessEbcdic(bytes: Uint8Array): EncodingGuess {
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  return likeliest(sample, EBCDIC_PAGES.map((page, at) => [page, WESTERN, at] as const));
}

/**
 * Compares a declared encoding with the likeliest one.
 *
 * @returns The guess, unless the declared encoding is plausible.
 */
export function contradicts(bytes: Uint8Array, declared: string): EncodingGuess | undefined {
  const sample = sampleOf(bytes);
  const known = ENCODINGS.find(([label]) => label === declared);
  const asDeclared = decodeWith(sample, declared);
  const guess = likeliest(sample, ENCODINGS);
  if (decodeWith(sample, guess.encoding) === asDeclared || guess.confidence < CONFIDENT) return undefined;
  const costs = (known?.[1] ?? `${WESTERN} ${CENTRAL}`).split(" ").map((language) =>
    cost(asDeclared, language)
  );
  const difference = Math.min(...costs) - guess.cost;
  return difference > MIN_CONTRADICTION ? guess : undefined;
}

/** Minimum confidence of a guess that replaces a declared encoding. */
const CONFIDENT = 0.95;
/** Minimum difference of the costs at which a declared encoding is wrong. */
const MIN_CONTRADICTION = 25;
/** Difference of the costs at which one reading is e times as likely: letters do not follow each other by chance. */
const TEMPERATURE = 3;

function likeliest(
  sample: Uint8Array,
  encodings: readonly (readonly [label: string, languages: string, rarity: number])[],
): EncodingGuess & { readonly cost: number } {
  const readings = encodings.map(([encoding, languages, rarity]) => {
    const text = decodeWith(sample, encoding).normalize("NFC");
    return {
      encoding,
      text,
      cost: rarity + Math.min(...languages.split(" ").map((each) => cost(text, each))),
    };
  }).sort((a, b) => a.cost - b.cost);
  const [best, ...others] = readings;
  if (!best) throw new Error("Cannot guess an encoding: there must be at least one");
  const second = others.find(({ text }) => text !== best.text);
  const difference = second ? second.cost - best.cost : Infinity;
  const relative = Math.round(100 / (1 + Math.exp(-difference / TEMPERATURE))) / 100;
  const isDoubtful = /^(?:gb18030|big5)$/.test(best.encoding) && !isPlausibleChinese(best.text);
  const confidence = isDoubtful ? Math.min(relative, DOUBTFUL) : relative;
  return { encoding: best.encoding, confidence, cost: best.cost };
}

/** Confidence of Chinese without frequent characters: the bytes may be Johab or EUC-TW, which are not read. */
const DOUBTFUL = 0.5;
/** Number of ideographs from which their frequency is judged, and the minimum share of the frequent ones. */
const MIN_IDEOGRAPHS = 40;
const MIN_FREQUENT = 0.03;
/** About every fifth character of Chinese prose; a list of names has fewer. */
const FREQUENT_CHINESE =
  /[的一是不了在人有我他這这中大來来上國国個个到說说們们為为子和你地出道也時时年得就那要下以生會会自去之過过家學学對对可]/g;

function isPlausibleChinese(text: string): boolean {
  const ideographs = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  return ideographs < MIN_IDEOGRAPHS ||
    (text.match(FREQUENT_CHINESE)?.length ?? 0) >= ideographs * MIN_FREQUENT;
}

function cost(text: string, language: string): number {
  return /^(?:ja|ko|zh)/.test(language) ? eastAsianCost(text, language) : alphabeticCost(text, language);
}

/** Returns the first lines with bytes beyond ASCII, since all others are the same in every encoding. */
function sampleOf(bytes: Uint8Array): Uint8Array {
  const sample = new Uint8Array(SAMPLE_BYTES);
  let length = 0;
  const end = Math.min(bytes.length, MAX_SEARCHED_BYTES);
  for (let at = 0; at < end && length < SAMPLE_BYTES;) {
    if (bytes[at]! < 0x80) {
      at++;
      continue;
    }
    const start = bytes.subarray(Math.max(0, at - MAX_LINE_BYTES / 4), at).lastIndexOf(0x0a) + 1 +
      Math.max(0, at - MAX_LINE_BYTES / 4);
    const newline = bytes.indexOf(0x0a, at);
    const lineEnd = Math.min(
      newline < 0 ? bytes.length : newline + 1,
      at + MAX_LINE_BYTES,
      start + SAMPLE_BYTES - length,
    );
    const line = bytes.subarray(start, lineEnd);
    sample.set(line, length);
    length += line.length;
    at = Math.max(lineEnd, at + 1);
  }
  return sample.subarray(0, length);
}
