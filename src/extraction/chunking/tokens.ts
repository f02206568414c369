/** Weight of one approximate token. A weight is an integer, so that sums over parts are exact. */
export const TOKEN = 4;

/**
 * About how many tokens an embedding model makes of a text: one per 4 UTF-16 code units, and one per character of
 * scripts that are written without spaces or that models cut finely (CJK, kana, Hangul, Thai).
 *
 * An estimate that needs no model; ordinary English and German are within a quarter of what BERT-like tokenizers count.
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
  return Math.ceil(weigh(text, 0, text.length) / TOKEN);
}

/** Weight of `text.slice(start, end)`: {@linkcode TOKEN} times its approximate tokens, before rounding up. */
export function weigh(text: string, start: number, end: number): number {
  let weight = end - start;
  for (let i = start; i < end; i++) {
    const code = text.charCodeAt(i);
    if (code >= FIRST_DENSE) weight += weighUnit(code) - 1;
  }
  return weight;
}

/** Weight of one code unit. */
export function weighUnit(code: number): number {
  if (code < FIRST_DENSE) return 1;
  if (
    code <= 0x0e7f || // Thai
    (code >= 0x1100 && code <= 0x11ff) || // Hangul jamo
    // Radicals to Yi, with kana and CJK. The ideographic space is white space, and weighs as such.
    (code >= 0x2e80 && code <= 0xa4cf && code !== 0x3000) ||
    (code >= 0xa960 && code <= 0xa97f) || (code >= 0xac00 && code <= 0xd7ff) || // Hangul
    (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe30 && code <= 0xfe4f) || // CJK compatibility
    (code >= 0xff01 && code <= 0xffdc) // full and half width forms
  ) return TOKEN;
  // High surrogates of the CJK extensions; with the low one, which weighs 1, the pair is one token.
  return code >= 0xd840 && code <= 0xd88d ? TOKEN - 1 : 1;
}

const FIRST_DENSE = 0x0e00;
