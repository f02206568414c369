/**
 * What a character is to a tokenizer. Foreign: a letter of an alphabet other than Latin. Dense: a token by itself, or nearly one;
 * such as half of an emoji. Rare: of a script or set of symbols that tokenizers hardly know.
 */
type Kind = "lower" | "upper" | "digit" | "space" | "mark" | "foreign" | "dense" | "rare";

/** Letters of a word that are one token, and how many more make another one each. */
const WORD = 6;
const MORE_OF_WORD = 3;
/** What a letter with a diacritic counts: it is seldom in a token with others. */
const ACCENTED = 4;
/** Characters of one token, of the kinds that are counted evenly. */
const UPPER_CASE = 3;
const DIGITS = 3;
const MARKS = 2;
const FOREIGN = 2;
/** Tokens of one character that is rare. */
const RARE = 2;

/**
 * About how many tokens a chat model reads of a text; rather too many than too few.
 *
 * An estimate that needs no model: it goes by how the tokenizers of such models part a text before they look anything up (at white space, between
 * letters, digits and marks, before capitals, digits in threes), where counting characters is wrong by half for code,
 * tables and logs. Measured with o200k_base (`tests/text/answer_tokens_test.ts`).
 *
 * @example
 * ```ts
 * import { answerTokens } from "./answer_tokens.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(answerTokens("The kettle is in the cupboard."), 8);
 * assertEquals(answerTokens("getUserName(12345)"), 7);
 * ```
 */
export function answerTokens(text: string): number {
  let tokens = 0;
  let kind: Kind = "space";
  /** Of the run of one kind that is being read. */
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const next = kindOf(code);
    // A capital begins a word with the small letters behind it.
    const goesOn = next === kind || (next === "lower" && kind === "upper" && length === 1);
    if (!goesOn) {
      tokens += tokensOf(kind, length, next);
      length = 0;
    }
    kind = next;
    length += next === "lower" && code > 0x7f ? ACCENTED : 1;
  }
  return tokens + tokensOf(kind, length, "space");
}

function tokensOf(kind: Kind, length: number, next: Kind): number {
  if (length === 0) return 0;
  switch (kind) {
    case "lower":
      return 1 + Math.ceil(Math.max(0, length - WORD) / MORE_OF_WORD);
    case "upper":
      return Math.ceil(length / UPPER_CASE);
    case "digit":
      return Math.ceil(length / DIGITS);
    case "mark":
      return Math.ceil(length / MARKS);
    case "foreign":
      return Math.ceil(length / FOREIGN);
    case "space":
      // The last blank is a part of the word or mark that follows.
      return length > 1 || next === "digit" ? 1 : 0;
    case "dense":
      return length;
    case "rare":
      return length * RARE;
  }
}

function kindOf(code: number): Kind {
  if (code < 0x80) {
    if (code >= 0x61 && code <= 0x7a) return "lower";
    if (code === 0x20 || (code >= 0x09 && code <= 0x0d)) return "space";
    if (code >= 0x41 && code <= 0x5a) return "upper";
    return code >= 0x30 && code <= 0x39 ? "digit" : "mark";
  }
  if (code < 0xc0) return "dense";
  if (code < 0x250) return "lower";
  if (code < 0xe00) return "foreign";
  // Ethiopic to extended Greek, and mathematics, arrows and other symbols; what is between them is punctuation.
  const isRare = (code >= 0x1200 && code < 0x2000) || (code >= 0x2070 && code < 0x2e80);
  return isRare ? "rare" : "dense";
}
