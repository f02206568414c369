/**
 * `deno task words [PATH]`: writes the words that o200k_base has a token for, as a Bloom filter, to the module that the
 * program imports, or to PATH.
 *
 * The vocabulary itself takes megabytes; the filter of its 48,000 lower-case words in Latin script takes 48 KB, and
 * makes the estimates of tokens three times as exact.
 *
 * @module
 */
import ranks from "gpt-tokenizer/bpeRanks/o200k_base";
import { addWord, MIN_WORD_CHARS } from "../src/text/word_filter.ts";

const OUTPUT = "src/text/token_words.ts";
/** Bits of the filter per word: one error in 50. */
const BITS_PER_WORD = 8;
/** A token that is a word after a space. */
const WORD = /^ ([a-z\u00df-\u00f6\u00f8-\u024f]+)$/;

if (import.meta.main) {
  const words = ranks.flatMap((token) => {
    const word = typeof token === "string" ? WORD.exec(token)?.[1] : undefined;
    return word !== undefined && word.length >= MIN_WORD_CHARS ? [word] : [];
  });
  const filter = new Uint8Array(Math.ceil(words.length * BITS_PER_WORD / 8));
  for (const word of words) addWord(filter, word);
  await Deno.writeTextFile(
    Deno.args[0] ?? OUTPUT,
    "// Generated from the vocabulary o200k_base of npm:gpt-tokenizer (MIT) by `deno task words`.\n" +
      "// deno-fmt-ignore-file\n\n" +
      "/** Words that are one token, as a Bloom filter in base64; see word_filter.ts. */\n" +
      `export const TOKEN_WORDS =\n  "${filter.toBase64()}";\n`,
  );
}
