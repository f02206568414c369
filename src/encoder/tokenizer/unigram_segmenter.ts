import type { TokenBuffer } from "./tokenizer.ts";
import { EMPTY_HASH, extendHash, type Vocabulary } from "./vocabulary.ts";

/** Penalty of an unknown character, below the lowest score (as in SentencePiece). */
const UNKNOWN_PENALTY = 10;

/** Finds the segmentation of a word with the highest sum of scores (Viterbi). */
export class UnigramSegmenter {
  readonly #vocabulary: Vocabulary;
  readonly #scores: ArrayLike<number>;
  readonly #unknown: number;
  readonly #unknownScore: number;
  #units = new Uint16Array();
  /** Score of the best path that ends at each position, its last token and the start of that. */
  #bestScores = new Float64Array();
  #bestIds = new Int32Array();
  #bestStarts = new Int32Array();

  constructor(
    vocabulary: Vocabulary,
    { scores, unknown }: { scores: ArrayLike<number>; unknown: number },
  ) {
    this.#vocabulary = vocabulary;
    this.#scores = scores;
    this.#unknown = unknown;
    let minimum = Infinity;
    for (let id = 0; id < scores.length; id++) minimum = Math.min(minimum, scores[id]!);
    this.#unknownScore = minimum - UNKNOWN_PENALTY;
  }

  /** Adds the tokens of a word. Consecutive unknown characters are one token. */
  segment(word: string, tokens: TokenBuffer): void {
    this.#load(word);
    for (let start = 0; start < word.length;) start = this.#extendPaths(start, word.length);
    const path: number[] = [];
    for (let end = word.length; end > 0; end = this.#bestStarts[end]!) {
      const id = this.#bestIds[end]!;
      if (id !== this.#unknown || path.at(-1) !== id) path.push(id);
    }
    for (const id of path.reverse()) tokens.push(id);
  }

  #load(word: string): void {
    const { length } = word;
    if (length >= this.#bestIds.length) {
      const capacity = 2 * length + 64;
      this.#units = new Uint16Array(capacity);
      this.#bestScores = new Float64Array(capacity);
      this.#bestIds = new Int32Array(capacity);
      this.#bestStarts = new Int32Array(capacity);
    }
    for (let i = 0; i < length; i++) this.#units[i] = word.charCodeAt(i);
    this.#bestScores.fill(-Infinity, 0, length + 1);
    this.#bestScores[0] = 0;
  }

  /**
   * Extends the best path to `start` by each token there.
   *
   * @returns The start of the next character.
   */
  #extendPaths(start: number, length: number): number {
    const units = this.#units;
    const score = this.#bestScores[start]!;
    const isPair = (units[start]! & 0xfc00) === 0xd800 && start + 1 < length;
    const next = start + (isPair ? 2 : 1);
    const limit = Math.min(length, start + this.#vocabulary.maxLength);
    let hash = EMPTY_HASH;
    let hasToken = false;
    for (let end = start + 1; end <= limit; end++) {
      hash = extendHash(hash, units[end - 1]!);
      const id = this.#vocabulary.find(units, start, end, hash);
      if (id < 0) continue;
      hasToken ||= end === next;
      this.#propose(start, end, id, score + this.#scores[id]!);
    }
    if (!hasToken) this.#propose(start, next, this.#unknown, score + this.#unknownScore);
    return next;
  }

  #propose(start: number, end: number, id: number, score: number): void {
    if (score <= this.#bestScores[end]!) return;
    this.#bestScores[end] = score;
    this.#bestIds[end] = id;
    this.#bestStarts[end] = start;
  }
}
