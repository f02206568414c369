import { BertWords } from "./bert_words.ts";
import { requiredId, SpecialTokens } from "./special_tokens.ts";
import { TokenBuffer, type Tokenizer } from "./tokenizer.ts";
import type { WordPieceOptions } from "./options.ts";
import { EMPTY_HASH, extendHash, Vocabulary } from "./vocabulary.ts";

const NUMBER_SIGN = 0x23;

/**
 * WordPiece: each word is the longest token that starts it, then the longest `##` tokens that continue it, or
 * the unknown token if there is a character without any (Wu et al. 2016, as in google-research/bert).
 */
export class WordPieceTokenizer implements Tokenizer {
  readonly unknown: number;
  readonly #vocabulary: Vocabulary;
  readonly #words: BertWords;
  readonly #special: SpecialTokens;
  readonly #start: number;
  readonly #end: number;
  /** Hash of the word up to and with each unit. */
  readonly #hashes: Int32Array;
  /** Tokens of the current word, at most one per unit. */
  readonly #ids: Uint32Array;

  /** @throws {TokenizerError} `vocabulary` if it is damaged or lacks a special token. */
  constructor(options: WordPieceOptions, vocabulary: Uint8Array) {
    this.#vocabulary = new Vocabulary(vocabulary);
    this.#special = new SpecialTokens(options.special, this.#vocabulary);
    this.unknown = requiredId(this.#vocabulary, options.unknown);
    this.#start = requiredId(this.#vocabulary, options.start);
    this.#end = requiredId(this.#vocabulary, options.end);
    this.#words = new BertWords({
      lowercase: options.lowercase,
      stripAccents: options.strip_accents,
      splitChinese: options.split_chinese,
    });
    this.#hashes = new Int32Array(this.#words.units.length);
    this.#ids = new Uint32Array(this.#words.units.length);
  }

  get size(): number {
    return this.#vocabulary.size;
  }

  encode(text: string, maxTokens: number): Uint32Array {
    const tokens = new TokenBuffer(this.#start, this.#end, maxTokens);
    const onWord = (end: number) => {
      this.#addWord(end, tokens);
      return !tokens.isFull;
    };
    for (const segment of this.#special.split(text)) {
      if (!this.#words.split(text, segment, onWord)) break;
      if (segment.next !== undefined) tokens.push(segment.next.id);
    }
    return tokens.finish();
  }

  /** @param end End of the word, or 0 if it is too long. */
  #addWord(end: number, tokens: TokenBuffer): void {
    const { units } = this.#words;
    let count = 0;
    for (let start = BertWords.START; start < end;) {
      let tokenStart = start;
      if (start > BertWords.START) {
        // The units before `start` already belong to a token: the prefix of continuations replaces them.
        units[--tokenStart] = NUMBER_SIGN;
        units[--tokenStart] = NUMBER_SIGN;
      }
      const longest = this.#longestToken(tokenStart, start, end);
      if (longest === undefined) {
        tokens.push(this.unknown);
        return;
      }
      this.#ids[count++] = longest.id;
      start = longest.end;
    }
    if (count === 0) tokens.push(this.unknown);
    for (let i = 0; i < count; i++) tokens.push(this.#ids[i]!);
  }

  /** Finds the longest token from `tokenStart` that ends after `start` and not after `end`. */
  #longestToken(tokenStart: number, start: number, end: number): { id: number; end: number } | undefined {
    const { units } = this.#words;
    const limit = Math.min(end, tokenStart + this.#vocabulary.maxLength);
    let hash = EMPTY_HASH;
    for (let i = tokenStart; i < limit; i++) {
      hash = extendHash(hash, units[i]!);
      this.#hashes[i] = hash;
    }
    for (let tokenEnd = limit; tokenEnd > start; tokenEnd--) {
      const id = this.#vocabulary.find(units, tokenStart, tokenEnd, this.#hashes[tokenEnd - 1]!);
      if (id >= 0) return { id, end: tokenEnd };
    }
    return undefined;
  }
}
