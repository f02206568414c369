/**
 * Tokenizers of text encoders: WordPiece (BERT) and Unigram (SentencePiece, XLM-RoBERTa). They return the same
 * ids as the Hugging Face library `tokenizers`.
 *
 * @module
 */
export { type ConvertedTokenizer, convertTokenizer } from "./convert.ts";
export { createTokenizer } from "./create.ts";
export { TokenizerError, type TokenizerErrorCode } from "./errors.ts";
export type {
  CommonTokenizerOptions,
  TokenizerOptions,
  UnigramOptions,
  WordPieceOptions,
} from "./options.ts";
export type { Tokenizer } from "./tokenizer.ts";
