import { Charsmap } from "./charsmap.ts";
import type { UnigramOptions } from "./options.ts";
import { requiredId, SpecialTokens } from "./special_tokens.ts";
import { TokenBuffer, type Tokenizer } from "./tokenizer.ts";
import { decodeUnigramVocabulary } from "./unigram_vocabulary.ts";
import { UnigramSegmenter } from "./unigram_segmenter.ts";
import { Vocabulary } from "./vocabulary.ts";
import { TokenizerError } from "./errors.ts";
import { textChunks } from "./text_chunks.ts";

/** Stands for the space before a word, U+2581. */
const METASPACE = "▁";
/** White space of Unicode, which differs from `\s` in U+0085 and U+FEFF. */
const WHITE_SPACE = /[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

/**
 * Unigram: each word is the sequence of tokens with the highest sum of scores (Kudo 2018, as in SentencePiece
 * and XLM-RoBERTa).
 */
export class UnigramTokenizer implements Tokenizer {
  readonly unknown: number;
  readonly #options: UnigramOptions;
  readonly #vocabulary: Vocabulary;
  readonly #charsmap: Charsmap;
  readonly #segmenter: UnigramSegmenter;
  readonly #special: SpecialTokens;
  readonly #start: number;
  readonly #end: number;

  /** @throws {TokenizerError} `vocabulary` if it is damaged or lacks a special token. */
  constructor(options: UnigramOptions, bytes: Uint8Array) {
    const { tokens, scores, charsmap } = decodeUnigramVocabulary(bytes);
    this.#options = options;
    this.#vocabulary = new Vocabulary(tokens);
    if (this.#vocabulary.size !== scores.length) {
      throw new TokenizerError(
        "vocabulary",
        `the vocabulary must have ${scores.length} tokens, one for each score, got ${this.#vocabulary.size}`,
      );
    }
    this.#charsmap = new Charsmap(charsmap);
    this.unknown = requiredId(this.#vocabulary, options.unknown);
    this.#segmenter = new UnigramSegmenter(this.#vocabulary, { scores, unknown: this.unknown });
    this.#special = new SpecialTokens(options.special, this.#vocabulary);
    this.#start = requiredId(this.#vocabulary, options.start);
    this.#end = requiredId(this.#vocabulary, options.end);
  }

  get size(): number {
    return this.#vocabulary.size;
  }

  encode(text: string, maxTokens: number): Uint32Array {
    const tokens = new TokenBuffer(this.#start, this.#end, maxTokens);
    const wellFormed = text.toWellFormed();
    for (const { start, end, next } of this.#special.split(wellFormed)) {
      const segment = wellFormed.slice(start, end);
      const isStripped = next !== undefined && this.#options.lstrip.includes(next.token);
      this.#addSegment(isStripped ? segment.trimEnd() : segment, tokens);
      if (tokens.isFull) break;
      if (next !== undefined) tokens.push(next.id);
    }
    return tokens.finish();
  }

  #addSegment(segment: string, tokens: TokenBuffer): void {
    for (const { text, isFirst, isLast, startsWord } of textChunks(segment)) {
      for (const [index, word] of this.#words(text, { isLast }).entries()) {
        const isContinued = index === 0 && !isFirst && !startsWord;
        this.#segmenter.segment(isContinued ? word.replace(METASPACE, "") : word, tokens);
        if (tokens.isFull) return;
      }
    }
  }

  /** Normalizes a text and returns its words, each with a metaspace at its start. */
  #words(text: string, { isLast }: { isLast: boolean }): string[] {
    const { pre_tokenizer, collapse_spaces, trim_end } = this.#options;
    let normalized = this.#charsmap.normalize(text);
    if (collapse_spaces) normalized = normalized.replace(/ {2,}/g, " ");
    if (trim_end && isLast) normalized = normalized.trimEnd();
    const spans = pre_tokenizer === "metaspace"
      ? [normalized.replaceAll(" ", METASPACE)]
      : normalized.split(WHITE_SPACE);
    return spans.filter((span) => span !== "").flatMap((span) =>
      // The reference splits in front of each metaspace, also of those in the text.
      (span.startsWith(METASPACE) ? span : METASPACE + span).split(/(?=▁)/)
    );
  }
}
