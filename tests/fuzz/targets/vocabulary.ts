import { assert } from "@std/assert";
import { createTokenizer, type Tokenizer, TokenizerError } from "../../../src/encoder/tokenizer/mod.ts";
import { encodeUnigramVocabulary } from "../../../src/encoder/tokenizer/unigram_vocabulary.ts";
import { charsmapBytes } from "../../encoder/tokenizer/charsmap_bytes.ts";
import type { FuzzTarget } from "../target.ts";

const OPTIONS = {
  type: "unigram",
  unknown: "?",
  start: "<",
  end: ">",
  special: ["<", ">"],
  lstrip: [],
  pre_tokenizer: "whitespace_metaspace",
  collapse_spaces: false,
  trim_end: true,
};

/** A damaged vocabulary is a {@linkcode TokenizerError}, or gives a tokenizer that returns valid ids. */
export const vocabulary: FuzzTarget = {
  name: "vocabulary",
  iterations: 1500,
  maxBytes: 8192,
  seeds: [
    encodeUnigramVocabulary({
      tokens: ["?", "<", ">", "▁a", "b"],
      scores: [0, 0, 0, -1, -2],
      charsmap: new Uint8Array(),
    }),
    encodeUnigramVocabulary({
      tokens: ["?", "<", ">"],
      scores: [0, 0, 0],
      charsmap: charsmapBytes({ é: "e" }),
    }),
  ],
  dictionary: [Uint8Array.of(0, 0, 0, 0), Uint8Array.of(255, 255, 255, 255), Uint8Array.of(0x0a)],
  open: () => (input) => {
    const tokenizer = create(input);
    const ids = tokenizer?.encode("ab é\u0301 <中 🙂", 16);
    assert(ids === undefined || ids.length <= 16 && ids.every((id) => id < tokenizer!.size));
  },
};

function create(bytes: Uint8Array): Tokenizer | undefined {
  try {
    return createTokenizer(OPTIONS, bytes);
  } catch (error) {
    if (error instanceof TokenizerError) return undefined;
    throw error;
  }
}
