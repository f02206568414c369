import { ALPHABETS, FREQUENT } from "./character_model_data.ts";

/**
 * Costs are negative natural logarithms of probabilities: of two readings of the same bytes, the one with the lower
 * sum is the more likely one.
 */

/** Natural logarithm of a step of the stored costs. */
const STEP = 0.7;
/** Cost of a letter that is not in the alphabet of a language. */
const FOREIGN = 9;
/** Cost of a letter in another script than the letter before it. */
const OTHER_SCRIPT = 14;
/** Cost of a capital letter after a small one, and of a small one after two capitals. */
const CAPITAL = 4;
/** Cost of a word in English instead of the language of its text. */
const ENGLISH_WORD = 1;
/** Cost of a symbol between two letters. */
const SYMBOL_IN_WORD = 5;
/** Cost of a character that no text has. */
const IMPOSSIBLE = 16;

const COMMON_SYMBOLS = new Set("’‘“”„‚–—…«»·§°©®™€£¿¡•№\u00a0\u00ad");
const RARE_SYMBOLS = new Set("²³½¼¾µ×÷±¹ªº´¨¸¯¬¦¤¢¥¶‹›†‡‰ˆ˜˝˛ˇ˘˙¬");
/** Letters that legacy encodings have in another form than the statistics. */
const FORMS = new Map([["ș", "ş"], ["ț", "ţ"], ["ی", "ي"], ["ک", "ك"]]);

/** Ranges of the alphabets, by code point. */
const SCRIPTS: readonly (readonly [from: number, to: number])[] = [
  [0x41, 0x24f],
  [0x1e00, 0x1eff],
  [0x370, 0x3ff],
  [0x400, 0x52f],
  [0x590, 0x5ff],
  [0x600, 0x6ff],
  [0xe00, 0xe7f],
];

function scriptOf(code: number): number {
  const script = SCRIPTS.findIndex(([from, to]) => code >= from && code <= to);
  return script === 1 ? 0 : script;
}

/** Letter statistics of a language. */
interface Alphabet {
  /** 1 and up by code unit, 0 for other characters. */
  readonly indexOf: (unit: number) => number;
  readonly size: number;
  readonly costs: Float32Array;
  readonly script: number;
}

const alphabets = new Map<string, Alphabet>();

function alphabetOf(language: string): Alphabet {
  const loaded = alphabets.get(language);
  if (loaded) return loaded;
  const [letters, data] = ALPHABETS[language] ?? ["", ""];
  const size = letters.length + 1;
  const index = new Uint8Array(0x2000);
  for (let i = 0; i < letters.length; i++) index[letters.charCodeAt(i)] = i + 1;
  for (const [form, letter] of FORMS) index[form.charCodeAt(0)] = index[letter.charCodeAt(0)]!;
  const bytes = Uint8Array.fromBase64(data);
  const costs = Float32Array.from(
    { length: size * size },
    (_, i) => STEP * (i % 2 === 0 ? bytes[i >> 1]! >> 4 : bytes[i >> 1]! & 15),
  );
  const alphabet = {
    indexOf: (unit: number) => unit < 0x2000 ? index[unit]! : 0,
    size,
    costs,
    script: scriptOf(letters.charCodeAt(letters.length - 1)),
  };
  alphabets.set(language, alphabet);
  return alphabet;
}

/** Classes of code units: letters have their small form, so that each is looked up once. */
const LETTER = 1, CAPITAL_LETTER = 2;
const classes = new Uint8Array(0x2000);
const smallForms = new Uint16Array(0x2000);
let isClassified = false;

function classify(): void {
  if (isClassified) return;
  for (let unit = 0; unit < 0x2000; unit++) {
    const character = String.fromCharCode(unit);
    const small = character.toLowerCase();
    if (/[\p{L}\p{M}]/u.test(character)) classes[unit] = small === character ? LETTER : CAPITAL_LETTER;
    smallForms[unit] = small.length === 1 ? small.charCodeAt(0) : unit;
  }
  isClassified = true;
}

/** Returns the cost of a text in a language with an alphabet. English words are part of any text. */
export function alphabeticCost(text: string, language: string): number {
  classify();
  const own = alphabetOf(language);
  const english = alphabetOf("en");
  const isEnglish = language === "en";
  let total = 0;
  for (let at = 0; at < text.length;) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x2000 || classes[unit] === 0) {
      total += symbolCost(text, at);
      at++;
      continue;
    }
    const start = at;
    while (at < text.length && text.charCodeAt(at) < 0x2000 && classes[text.charCodeAt(at)] !== 0) at++;
    const ownCost = wordCost(text, start, at, own);
    total += isEnglish ? ownCost : Math.min(ownCost, wordCost(text, start, at, english) + ENGLISH_WORD);
    total += capitalsCost(text, start, at);
  }
  return total;
}

function wordCost(text: string, start: number, end: number, { indexOf, size, costs }: Alphabet): number {
  let cost = 0;
  let previous = 0;
  let previousScript = -1;
  for (let i = start; i < end; i++) {
    const small = smallForms[text.charCodeAt(i)]!;
    const current = indexOf(small);
    if (current > 0) cost += costs[previous * size + current]!;
    else {
      const script = scriptOf(small);
      cost += previousScript >= 0 && script !== previousScript ? OTHER_SCRIPT : FOREIGN;
      previousScript = script;
    }
    if (current > 0) {
      const script = scriptOf(small);
      if (previousScript >= 0 && script !== previousScript) cost += OTHER_SCRIPT - FOREIGN;
      previousScript = script;
    }
    previous = current;
  }
  return cost + costs[previous * size]!;
}

function capitalsCost(text: string, start: number, end: number): number {
  let cost = 0;
  let capitals = 0;
  for (let i = start; i < end; i++) {
    const isCapital = classes[text.charCodeAt(i)] === CAPITAL_LETTER;
    if (isCapital && i > start && capitals === 0) cost += CAPITAL;
    if (!isCapital && capitals > 1) cost += CAPITAL;
    capitals = isCapital ? capitals + 1 : 0;
  }
  return cost;
}

function isLetterAt(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit < 0x2000 && classes[unit] !== 0;
}

function symbolCost(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return asciiCost(unit);
  if (unit < 0xa0 || unit === 0xfffd || (unit >= 0xd800 && unit < 0xf900)) return IMPOSSIBLE;
  const character = text[at]!;
  // Frames of tables repeat.
  if (unit >= 0x2500 && unit < 0x25a0) return text.charCodeAt(at - 1) === unit ? 1.5 : 8;
  const isJoiner = character === "’" || character === "·" || unit === 0xad || unit === 0xa0;
  const inWord = !isJoiner && isLetterAt(text, at - 1) && isLetterAt(text, at + 1) ? SYMBOL_IN_WORD : 0;
  return inWord + (COMMON_SYMBOLS.has(character) ? 6 : RARE_SYMBOLS.has(character) ? 10 : 12);
}

function asciiCost(unit: number): number {
  const character = String.fromCharCode(unit);
  if (/[\s]/.test(character)) return 1;
  if (/[0-9.,]/.test(character)) return 3;
  if (/['"()\-:;!?\/]/.test(character)) return 4;
  return unit >= 0x20 && unit < 0x7f ? 6 : IMPOSSIBLE;
}

/** Frequent and usual characters of an East Asian encoding. */
interface Ideographs {
  readonly frequent: ReadonlySet<string>;
  readonly usual: ReadonlySet<string>;
}

/** Rows of the usual characters in a double-byte encoding. */
const USUAL: Readonly<Record<string, readonly [label: string, from: number, to: number]>> = {
  "ja": ["euc-jp", 0xb0, 0xcf],
  "ko": ["euc-kr", 0xb0, 0xc8],
  "zh-Hans": ["gb18030", 0xb0, 0xd7],
  "zh-Hant": ["big5", 0xa4, 0xc6],
};
const ideographs = new Map<string, Ideographs>();

function ideographsOf(language: string): Ideographs {
  const loaded = ideographs.get(language);
  if (loaded) return loaded;
  const [label, from, to] = USUAL[language] ?? ["utf-8", 1, 0];
  const bytes: number[] = [];
  for (let lead = from; lead <= to; lead++) {
    for (let trail = 0xa1; trail < 0xff; trail++) bytes.push(lead, trail);
    for (let trail = 0x40; trail < 0x7f && label === "big5"; trail++) bytes.push(lead, trail);
  }
  const usual = new Set(new TextDecoder(label).decode(Uint8Array.from(bytes)));
  const created = { frequent: new Set(FREQUENT[language]), usual };
  ideographs.set(language, created);
  return created;
}

/** Returns the cost of a text in an East Asian language. Other words are English. */
export function eastAsianCost(text: string, language: string): number {
  classify();
  const { frequent, usual } = ideographsOf(language);
  const english = alphabetOf("en");
  let total = 0;
  let run = 0;
  for (let at = 0; at < text.length;) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x2e80 && unit < 0xfffd) {
      total += eastAsianCharacterCost(text[at]!, unit, language, frequent, usual);
      run++;
      at++;
      continue;
    }
    // One alone, next to Latin letters, is two bytes of another encoding.
    if (run === 1 && (isLetterAt(text, at) || isLetterAt(text, at - 2))) total += 2 * SYMBOL_IN_WORD;
    run = 0;
    if (!isLetterAt(text, at)) {
      total += symbolCost(text, at);
      at++;
      continue;
    }
    const start = at;
    while (at < text.length && isLetterAt(text, at)) at++;
    total += wordCost(text, start, at, english) + capitalsCost(text, start, at);
  }
  return total;
}

function eastAsianCharacterCost(
  character: string,
  unit: number,
  language: string,
  frequent: ReadonlySet<string>,
  usual: ReadonlySet<string>,
): number {
  // Punctuation and full-width forms.
  if (unit >= 0x3000 && unit < 0x3030) return 4.5;
  if (unit >= 0x3040 && unit < 0x3100) return language === "ja" ? 4 : 12;
  if (unit >= 0xff01 && unit < 0xff60) return 5.5;
  if (unit >= 0xff61 && unit < 0xffa0) return 9;
  if (unit >= 0xd800 && unit < 0xe000) return 10;
  if (unit >= 0xe000 && unit < 0xf900) return IMPOSSIBLE;
  if (frequent.has(character)) return 6.2;
  return usual.has(character) ? 8.5 : 13;
}
