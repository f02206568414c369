import { lazy } from "./lazy.ts";
import { TOKEN_WORDS } from "./token_words.ts";
import { hasWord, MIN_WORD_CHARS } from "./word_filter.ts";

/** The words that are one token, as a Bloom filter. */
export const tokenWords: () => Uint8Array = lazy(() => Uint8Array.fromBase64(TOKEN_WORDS));

/**
 * Whether a word is frequent in texts of the web, in any language: one token of chat models. Frequent misspellings
 * are, too, and so is one in 50 of all other words. Words of fewer than four characters are unknown.
 *
 * @param word A word in lower case.
 *
 * @example
 * ```ts
 * import { isFrequentWord } from "./frequent_word.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(["feelings", "warm", "clpsing"].map(isFrequentWord), [true, true, false]);
 * ```
 */
export function isFrequentWord(word: string): boolean {
  return word.length >= MIN_WORD_CHARS && hasWord(tokenWords(), word);
}
