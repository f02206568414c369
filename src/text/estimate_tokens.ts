/**
 * Class of a character for a tokenizer. Foreign: a letter of an alphabet other than Latin. Dense: about one
 * token, such as an ideograph or half of an emoji. Rare: several tokens, since tokenizers have few tokens for
 * its script or kind of symbol.
 */
type CharClass = "lower" | "upper" | "digit" | "space" | "mark" | "foreign" | "dense" | "rare";

/** Length of a lowercase word of one token. */
const WORD_CHARS = 6;
/** Length of each further token of a word. */
const WORD_SUFFIX_CHARS = 3;
/** Length of a letter with a diacritic, which seldom shares a token with other letters. */
const ACCENTED_LENGTH = 4;

// Characters per token.
const UPPER_CHARS = 3;
const DIGIT_CHARS = 3;
const MARK_CHARS = 2;
const FOREIGN_CHARS = 2;

/** Tokens per rare character. */
const RARE_TOKENS = 2;

/**
 * Estimates the number of tokens of a text for a chat model, erring on the high side.
 *
 * Splits the text like the pre-tokenizers of such models (at white space, between letters, digits and marks,
 * before capitals, digits in threes). Dividing the number of characters by a constant would be off by half
 * for code, tables and logs. Measured with o200k_base (`tests/text/estimate_tokens_test.ts`).
 *
 * @example
 * ```ts
 * import { estimateTokens } from "./estimate_tokens.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(estimateTokens("The kettle is in the cupboard."), 8);
 * assertEquals(estimateTokens("getUserName(12345)"), 7);
 * ```
 */
export function estimateTokens(text: string): number {
  let tokens = 0;
  /** Class and length of the current run of characters. */
  let current: CharClass = "space";
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const next = classOf(code);
    // A capital starts a word of lowercase letters.
    const continues = next === current || (next === "lower" && current === "upper" && length === 1);
    if (!continues) {
      tokens += tokensOfRun(current, length, next);
      length = 0;
    }
    current = next;
    length += next === "lower" && code > 0x7f ? ACCENTED_LENGTH : 1;
  }
  return tokens + tokensOfRun(current, length, "space");
}

function tokensOfRun(run: CharClass, length: number, next: CharClass): number {
  if (length === 0) return 0;
  switch (run) {
    case "lower":
      return 1 + Math.ceil(Math.max(0, length - WORD_CHARS) / WORD_SUFFIX_CHARS);
    case "upper":
      return Math.ceil(length / UPPER_CHARS);
    case "digit":
      return Math.ceil(length / DIGIT_CHARS);
    case "mark":
      return Math.ceil(length / MARK_CHARS);
    case "foreign":
      return Math.ceil(length / FOREIGN_CHARS);
    case "space":
      // A single space belongs to the token of the next word or mark.
      return length > 1 || next === "digit" ? 1 : 0;
    case "dense":
      return length;
    case "rare":
      return length * RARE_TOKENS;
  }
}

function classOf(code: number): CharClass {
  if (code < 0x80) {
    if (code >= 0x61 && code <= 0x7a) return "lower";
    if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) return "space";
    if (code >= 0x41 && code <= 0x5a) return "upper";
    return code >= 0x30 && code <= 0x39 ? "digit" : "mark";
  }
  if (code < 0xc0) return "dense";
  if (code < 0x250) return "lower";
  if (code < 0xe00) return "foreign";
  // Ethiopic to extended Greek; then, after general punctuation, mathematics, arrows and other symbols.
  const isRare = (code >= 0x1200 && code < 0x2000) || (code >= 0x2070 && code < 0x2e80);
  return isRare ? "rare" : "dense";
}
