import { parseTokenizerOptions } from "./options.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { UnigramTokenizer } from "./unigram.ts";
import { WordPieceTokenizer } from "./wordpiece.ts";

/**
 * Creates the tokenizer of a model.
 *
 * @param options Section `tokenizer` of the header of a model file.
 * @param vocabulary Vocabulary of the model file; not needed after the call.
 * @throws {TokenizerError} If the options or the vocabulary are invalid.
 *
 * @example
 * ```ts
 * import { createTokenizer } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const options = {
 *   type: "wordpiece",
 *   lowercase: true,
 *   strip_accents: true,
 *   split_chinese: true,
 *   unknown: "[UNK]",
 *   start: "[CLS]",
 *   end: "[SEP]",
 *   special: ["[UNK]", "[CLS]", "[SEP]"],
 * };
 * const vocabulary = new TextEncoder().encode("[UNK]\n[CLS]\n[SEP]\ntoken\n##izer\n");
 * const tokenizer = createTokenizer(options, vocabulary);
 * assertEquals([...tokenizer.encode("Tokenizer", 256)], [1, 3, 4, 2]);
 * ```
 */
export function createTokenizer(options: unknown, vocabulary: Uint8Array): Tokenizer {
  const parsed = parseTokenizerOptions(options);
  switch (parsed.type) {
    case "wordpiece":
      return new WordPieceTokenizer(parsed, vocabulary);
    case "unigram":
      return new UnigramTokenizer(parsed, vocabulary);
  }
}
