import { assertEquals, assertThrows } from "@std/assert";
import { createTokenizer, TokenizerError } from "../../../src/encoder/tokenizer/mod.ts";

const OPTIONS = {
  type: "wordpiece",
  lowercase: true,
  strip_accents: true,
  split_chinese: true,
  unknown: "[UNK]",
  start: "[CLS]",
  end: "[SEP]",
  special: ["[UNK]"],
};
const VOCABULARY = new TextEncoder().encode("[UNK]\n[CLS]\n[SEP]\n");

for (
  const [options, message] of [
    [null, "tokenizer must be an object, got null"],
    [{ ...OPTIONS, type: "bpe" }, 'tokenizer.type must be "wordpiece" or "unigram", got "bpe"'],
    [{ ...OPTIONS, lowercase: "yes" }, 'tokenizer.lowercase must be a boolean, got "yes"'],
    [{ ...OPTIONS, unknown: "" }, 'tokenizer.unknown must be a non-empty string, got ""'],
    [{ ...OPTIONS, start: undefined }, "tokenizer.start must be a non-empty string, got nothing"],
    [
      { ...OPTIONS, special: [1] },
      "tokenizer.special must be an array of at most 1000 non-empty strings, got [1]",
    ],
  ] as const
) {
  Deno.test(`tokenizer options: ${message}`, () => {
    const error = assertThrows(() => createTokenizer(options, VOCABULARY), TokenizerError, message);
    assertEquals(error.code, "options");
  });
}

for (const field of ["unknown", "start", "end"]) {
  Deno.test(`tokenizer options: the vocabulary must contain the token of ${field}`, () => {
    const error = assertThrows(
      () => createTokenizer({ ...OPTIONS, [field]: "[NEW]" }, VOCABULARY),
      TokenizerError,
      'the vocabulary must contain "[NEW]"',
    );
    assertEquals(error.code, "vocabulary");
  });
}
