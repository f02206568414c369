import { inflateRawSync } from "node:zlib";

/** Maximum length of a word in bytes; the n-grams of longer ones do not matter. */
const MAX_WORD_BYTES = 70;
/** Maximum number of bytes to inspect: a paragraph decides. */
const MAX_BYTES = 1500;
/** The stored scores are smaller by this number. */
const BASE_SCORE = 53;

const ASCII = /^[\0-\x7f]*$/;
const encoder = new TextEncoder();
/** Decodes each byte as one character, so that strings of bytes are keys of a Map. */
const latin1 = new TextDecoder("latin1");

/** A language with its mean score of an n-gram, from 0. */
export interface LanguageScore {
  readonly language: string;
  readonly score: number;
}

/**
 * Detects languages by the bytes of words: n-grams of four bytes that overlap by one, with the model of ELD
 * (https://github.com/nitotm/efficient-language-detector-js), size "extra small". ELD itself takes 70 MB for
 * the n-grams of all scripts; this class has those of the languages that share a script, in 6 MB.
 */
export class LanguageDetector {
  readonly #languages: readonly string[];
  readonly #data: Uint8Array;
  /** Offset of the scores of each n-gram. */
  readonly #offsets = new Map<string, number>();

  /**
   * @param languages Languages by their number in the data, separated by spaces.
   * @param data N-grams with their scores, compressed with deflate, in base64.
   */
  constructor(languages: string, data: string) {
    this.#languages = languages.split(" ");
    this.#data = new Uint8Array(inflateRawSync(Uint8Array.fromBase64(data)));
    const text = latin1.decode(this.#data);
    for (let at = 0; at < this.#data.length;) {
      const length = this.#data[at] as number;
      const scores = at + 1 + length;
      this.#offsets.set(text.slice(at + 1, scores), scores);
      at = scores + 1 + 2 * (this.#data[scores] as number);
    }
  }

  /** Returns the languages of some words in lower case, the most likely one first. */
  detect(words: Iterable<string>): LanguageScore[] {
    const data = this.#data;
    const scores = new Float64Array(this.#languages.length);
    const ngrams = ngramsOf(words);
    for (const ngram of ngrams) {
      const at = this.#offsets.get(ngram);
      if (at === undefined) continue;
      const end = at + 2 * data[at]!;
      for (let i = at + 1; i <= end; i += 2) scores[data[i]!]! += data[i + 1]! + BASE_SCORE;
    }
    return [...scores]
      .map((score, index) => ({ language: this.#languages[index] ?? "", score: score / (ngrams.size || 1) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score);
  }
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
  // Calls of the encoder and the decoder take longer than all else.
  if (ASCII.test(word)) return word.slice(0, MAX_WORD_BYTES);
  return latin1.decode(encoder.encode(word).subarray(0, MAX_WORD_BYTES));
}
