import { assert, assertEquals } from "@std/assert";
import { createTokenizer, type Tokenizer } from "../../../src/encoder/tokenizer/mod.ts";
import { encodeUnigramVocabulary } from "../../../src/encoder/tokenizer/unigram_vocabulary.ts";
import { charsmapBytes } from "../../encoder/tokenizer/charsmap_bytes.ts";
import { type FuzzTarget, utf8 } from "../target.ts";

const SPECIAL = ["<u>", "<s>", "</s>"];
const COMMON = { unknown: "<u>", start: "<s>", end: "</s>", special: SPECIAL };
const TOKENS = ["a", "ab", "b", "e", "中", "각".normalize("NFD"), "я", "🙂", "▁", "▁a", "▁ab", "-", "і"];

/**
 * Both tokenizers return ids of the vocabulary, at most `maxTokens` with the special tokens around them. Fewer
 * tokens are the start of more. WordPiece gives the same ids for a text in another normalization form or case.
 */
export const tokenizer: FuzzTarget = {
  name: "tokenizer",
  iterations: 1000,
  seeds: utf8([
    "ab abab b-a",
    "Ab <s>é</s>",
    "中文 각각 Яя",
    "a\u0301\u200db🙂🙂",
    "▁a  ab\r\n",
    "x".repeat(101),
  ]),
  dictionary: utf8([
    "<s>",
    "</s>",
    "ﬁ",
    "é",
    "e\u0301",
    "각",
    "中",
    "🙂",
    "\u200d",
    "▁",
    " ",
    "\n",
    "\ufffd",
    "İ",
    "Σ",
  ]),
  open: () => {
    const wordpiece = wordPieceTokenizer();
    const unigram = unigramTokenizer();
    return (input) => {
      const text = new TextDecoder().decode(input);
      for (const each of [wordpiece, unigram]) checkLimits(each, text, 2 + (input[0] ?? 0) % 32);
      const ids = wordpiece.encode(text, 10_000);
      assertEquals(wordpiece.encode(text.normalize("NFD"), 10_000), ids);
      assertEquals(wordpiece.encode(`\n${text}\u200b `, 10_000), ids);
    };
  },
};

function checkLimits(tokenizer: Tokenizer, text: string, maxTokens: number): void {
  const all = tokenizer.encode(text, 10_000);
  assertEquals([all[0], all.at(-1)], [SPECIAL.indexOf("<s>"), SPECIAL.indexOf("</s>")]);
  assert(all.every((id) => id < tokenizer.size));
  const some = tokenizer.encode(text, maxTokens);
  assertEquals(some.length, Math.min(all.length, maxTokens));
  assertEquals(some.slice(0, -1), all.slice(0, some.length - 1));
  assertEquals(some.at(-1), all.at(-1));
}

function wordPieceTokenizer(): Tokenizer {
  const options = { type: "wordpiece", lowercase: true, strip_accents: true, split_chinese: true, ...COMMON };
  const tokens = [...SPECIAL, ...TOKENS, ...TOKENS.map((token) => `##${token}`)];
  return createTokenizer(options, new TextEncoder().encode(tokens.join("\n")));
}

function unigramTokenizer(): Tokenizer {
  const tokens = [...SPECIAL, ...TOKENS];
  const vocabulary = encodeUnigramVocabulary({
    tokens,
    scores: tokens.map((token) => -token.length / 2),
    charsmap: charsmapBytes({ "ﬁ": "fi", "e\u0301": "é", "\n": " ", "\u200d": "" }),
  });
  const options = {
    type: "unigram",
    lstrip: [],
    pre_tokenizer: "metaspace",
    collapse_spaces: true,
    trim_end: false,
    ...COMMON,
  };
  return createTokenizer(options, vocabulary);
}
