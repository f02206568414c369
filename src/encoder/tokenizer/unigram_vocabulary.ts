import { TokenizerError } from "./errors.ts";

/** Vocabulary of a Unigram tokenizer. */
export interface UnigramVocabulary<Tokens> {
  /** In the order of their ids. */
  readonly tokens: Tokens;
  /** Logarithm of the probability of each token. */
  readonly scores: ArrayLike<number>;
  /** SentencePiece's compiled map of characters; empty if the text is taken as it is. */
  readonly charsmap: Uint8Array;
}

const COUNTS_BYTES = 8;

/**
 * Encodes a vocabulary for a model file: u32 LE number of tokens, u32 LE bytes of the charsmap, one float64 LE
 * score per token, the charsmap, and the tokens in UTF-8, each with a line feed after it.
 */
export function encodeUnigramVocabulary(
  { tokens, scores, charsmap }: UnigramVocabulary<readonly string[]>,
): Uint8Array<ArrayBuffer> {
  const text = new TextEncoder().encode(tokens.map((token) => `${token}\n`).join(""));
  const scoresEnd = COUNTS_BYTES + 8 * tokens.length;
  const bytes = new Uint8Array(scoresEnd + charsmap.length + text.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, tokens.length, true);
  view.setUint32(4, charsmap.length, true);
  for (let id = 0; id < tokens.length; id++) view.setFloat64(COUNTS_BYTES + 8 * id, scores[id]!, true);
  bytes.set(charsmap, scoresEnd);
  bytes.set(text, scoresEnd + charsmap.length);
  return bytes;
}

/**
 * Reads a vocabulary; the tokens remain bytes.
 *
 * @throws {TokenizerError} `vocabulary` if it is too short or a score is not finite.
 */
export function decodeUnigramVocabulary(bytes: Uint8Array): UnigramVocabulary<Uint8Array> {
  if (bytes.length < COUNTS_BYTES) throw tooShort(COUNTS_BYTES, bytes.length);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const count = view.getUint32(0, true);
  const scoresEnd = COUNTS_BYTES + 8 * count;
  const charsmapEnd = scoresEnd + view.getUint32(4, true);
  if (charsmapEnd > bytes.length) throw tooShort(charsmapEnd, bytes.length);
  // Copied for the alignment; all platforms of Deno are little-endian.
  const scores = new Float64Array(bytes.slice(COUNTS_BYTES, scoresEnd).buffer);
  const invalid = scores.findIndex((score) => !Number.isFinite(score));
  if (invalid >= 0) {
    throw new TokenizerError(
      "vocabulary",
      `the score of token ${invalid} must be finite, got ${scores[invalid]}`,
    );
  }
  return { tokens: bytes.subarray(charsmapEnd), scores, charsmap: bytes.slice(scoresEnd, charsmapEnd) };
}

function tooShort(required: number, length: number): TokenizerError {
  return new TokenizerError(
    "vocabulary",
    `the vocabulary must have at least ${required} bytes, got ${length}`,
  );
}
