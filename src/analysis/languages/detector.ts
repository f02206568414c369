import { inflateRawSync } from "node:zlib";

/** Maximum length of a word in bytes; the n-grams of longer ones do not matter. */
const MAX_WORD_BYTES = 70;
/** Maximum number of bytes to inspect: a paragraph decides. */
const MAX_BYTES = 1500;
/** The stored scores are smaller by this number. */
const BASE_SCORE = 53;

const ASCII = /^[\0-\x7f]*$/;
const encoder = new TextEncoder();

/** A language with its mean score of an n-gram, from 0. */
export interface LanguageScore {
  readonly language: string;
  readonly score: number;
}

/**
 * Detects languages by the bytes of words: n-grams of four bytes that overlap by one, with the model of ELD
 * (https://github.com/nitotm/efficient-language-detector-js), size "extra small". ELD itself takes 70 MB for
 * the n-grams of all scripts; this class has those of the languages that share a script, in 1 MB. They are looked up
 * in their data by an open-addressing hash table: the strings of a Map would take six times the memory and the time,
 * and the first note in a thread waits for them.
 */
export class LanguageDetector {
  readonly #languages: readonly string[];
  /** N-grams, one after the other: length, bytes, number of scores, and a pair of language and score for each. */
  readonly #data: Uint8Array;
  /** Offset of an n-gram in the data, plus 1; 0 in empty slots. At least half of them are. */
  readonly #slots: Int32Array;

  /**
   * @param languages Languages by their number in the data, separated by spaces.
   * @param data N-grams with their scores, compressed with deflate, in base64.
   */
  constructor(languages: string, data: string) {
    this.#languages = languages.split(" ");
    const bytes = this.#data = new Uint8Array(inflateRawSync(Uint8Array.fromBase64(data)));
    let count = 0;
    for (let at = 0; at < bytes.length; at = endOf(bytes, at)) count++;
    const slots = this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 1)));
    for (let at = 0; at < bytes.length; at = endOf(bytes, at)) {
      const end = at + bytes[at]!;
      let hash = 0;
      for (let i = at + 1; i <= end; i++) hash = hashWith(hash, bytes[i]!);
      let slot = slotOf(hash, slots);
      while (slots[slot] !== 0) slot = (slot + 1) & (slots.length - 1);
      slots[slot] = at + 1;
    }
  }

  /** Returns the languages of some words in lower case, the most likely one first. */
  detect(words: Iterable<string>): LanguageScore[] {
    const data = this.#data;
    const scores = new Float64Array(this.#languages.length);
    const ngrams = ngramsOf(words);
    for (const ngram of ngrams) {
      const at = this.#scoresOf(ngram);
      if (at === undefined) continue;
      const end = at + 2 * data[at]!;
      for (let i = at + 1; i <= end; i += 2) scores[data[i]!]! += data[i + 1]! + BASE_SCORE;
    }
    return [...scores]
      .map((score, index) => ({ language: this.#languages[index] ?? "", score: score / (ngrams.size || 1) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
  }

  /** Returns the offset of the scores of an n-gram. */
  #scoresOf(ngram: string): number | undefined {
    const [data, slots] = [this.#data, this.#slots];
    const length = ngram.length;
    let hash = 0;
    for (let i = 0; i < length; i++) hash = hashWith(hash, ngram.charCodeAt(i));
    for (let slot = slotOf(hash, slots); slots[slot] !== 0; slot = (slot + 1) & (slots.length - 1)) {
      const at = slots[slot]!;
      if (data[at - 1] !== length) continue;
      let equal = 0;
      while (equal < length && data[at + equal] === ngram.charCodeAt(equal)) equal++;
      if (equal === length) return at + length;
    }
    return undefined;
  }
}

/** Returns the offset after the scores of the n-gram at an offset. */
function endOf(data: Uint8Array, at: number): number {
  const scores = at + 1 + data[at]!;
  return scores + 1 + 2 * data[scores]!;
}

/** Adds a byte to a hash (FNV-1). */
function hashWith(hash: number, byte: number): number {
  return Math.imul(hash, 0x01000193) ^ byte;
}

/** Returns the first slot for a hash, of a number of slots that is a power of two. */
function slotOf(hash: number, slots: Int32Array): number {
  return (hash ^ hash >>> 15) & (slots.length - 1);
}

function ngramsOf(words: Iterable<string>): Set<string> {
  const ngrams = new Set<string>();
  let total = 0;
  for (const word of words) {
    const bytes = bytesOf(word);
    // Slices of one string: each concatenation would be copied to be looked up.
    const spaced = ` ${bytes} `;
    let start = 0;
    for (; start + 4 < bytes.length; start += 3) {
      ngrams.add(spaced.slice(start === 0 ? 0 : start + 1, start + 5));
    }
    // The last n-gram ends with the word.
    ngrams.add(start === 0 ? spaced : spaced.slice(-5));
    total += bytes.length + 1;
    if (total > MAX_BYTES) break;
  }
  return ngrams;
}

/** Returns the bytes of a word in UTF-8, each as one character. */
function bytesOf(word: string): string {
  // A call of the encoder takes longer than all else.
  if (ASCII.test(word)) return word.slice(0, MAX_WORD_BYTES);
  return String.fromCharCode(...encoder.encode(word).subarray(0, MAX_WORD_BYTES));
}
