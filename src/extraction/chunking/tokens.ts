/**
 * Weight of one approximate token. Sizes are summed as integer weights, because rounded token counts do not
 * add up.
 */
export const TOKEN_WEIGHT = 4;

/**
 * Estimates the number of tokens that an embedding model makes of a text: one per 4 UTF-16 code units, and
 * one per character of dense scripts (CJK, kana, Hangul, Thai).
 *
 * Needs no model. For English and German, the estimate is within 25 % of BERT-like tokenizers.
 *
 * @example
 * ```ts
 * import { approximateTokens } from "./tokens.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(approximateTokens("knowledge base"), 4);
 * assertEquals(approximateTokens("知識ベース"), 5);
 * ```
 */
export function approximateTokens(text: string): number {
  return Math.ceil(weightOf(text, { start: 0, end: text.length }) / TOKEN_WEIGHT);
}

/**
 * Returns the weight of a range of text: {@linkcode TOKEN_WEIGHT} times its approximate tokens, before
 * rounding.
 */
export function weightOf(text: string, { start, end }: { start: number; end: number }): number {
  let weight = end - start;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code >= FIRST_DENSE) weight += unitWeight(code) - 1;
  }
  return weight;
}

/** Returns the weight of a code unit. */
export function unitWeight(code: number): number {
  if (code < FIRST_DENSE) return 1;
  if (
    code <= 0x0e7f || // Thai
    (code >= 0x1100 && code <= 0x11ff) || // Hangul jamo
    // CJK radicals to Yi, with kana and ideographs, without the ideographic space.
    (code >= 0x2e80 && code <= 0xa4cf && code !== 0x3000) ||
    (code >= 0xa960 && code <= 0xa97f) || (code >= 0xac00 && code <= 0xd7ff) || // Hangul
    (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe30 && code <= 0xfe4f) || // CJK compatibility
    (code >= 0xff01 && code <= 0xffdc) // full-width and half-width forms
  ) return TOKEN_WEIGHT;
  // High surrogates of the CJK extensions: with the low surrogate, which weighs 1, a pair is one token.
  return code >= 0xd840 && code <= 0xd88d ? TOKEN_WEIGHT - 1 : 1;
}

const FIRST_DENSE = 0x0e00;
