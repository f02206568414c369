import { assertEquals, assertThrows } from "@std/assert";
import { convertTokenizer, createTokenizer, TokenizerError } from "../../../src/encoder/tokenizer/mod.ts";

const ADDED = { single_word: false, lstrip: false, rstrip: false, normalized: false, special: true };
const WORDPIECE = {
  added_tokens: [{ ...ADDED, id: 0, content: "[UNK]" }, { ...ADDED, id: 4, content: "[MASK]" }],
  normalizer: {
    type: "BertNormalizer",
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: "BertPreTokenizer" },
  post_processor: {
    type: "TemplateProcessing",
    single: [
      { SpecialToken: { id: "[CLS]", type_id: 0 } },
      { Sequence: { id: "A", type_id: 0 } },
      { SpecialToken: { id: "[SEP]", type_id: 0 } },
    ],
  },
  model: {
    type: "WordPiece",
    unk_token: "[UNK]",
    continuing_subword_prefix: "##",
    max_input_chars_per_word: 100,
    vocab: { "[CLS]": 1, "[UNK]": 0, "[SEP]": 2, "word": 3 },
  },
};
const UNIGRAM = {
  added_tokens: [{ ...ADDED, id: 2, content: "<unk>" }, { ...ADDED, id: 4, content: "<mask>", lstrip: true }],
  normalizer: {
    type: "Sequence",
    normalizers: [
      { type: "Precompiled", precompiled_charsmap: "" },
      { type: "Strip", strip_left: false, strip_right: true },
      { type: "Replace", pattern: { Regex: " {2,}" }, content: "▁" },
    ],
  },
  pre_tokenizer: { type: "Metaspace", replacement: "▁", prepend_scheme: "always", split: true },
  post_processor: { type: "RobertaProcessing", sep: ["</s>", 1], cls: ["<s>", 0] },
  model: { type: "Unigram", unk_id: 2, vocab: [["<s>", 0], ["</s>", 0], ["<unk>", 0], ["▁word", -1.5]] },
};

const convert = (tokenizer: unknown) => convertTokenizer(JSON.stringify(tokenizer));

Deno.test("convertTokenizer converts a WordPiece tokenizer, with added tokens at the end", () => {
  const { header, vocabulary } = convert(WORDPIECE);
  assertEquals(header, {
    type: "wordpiece",
    lowercase: true,
    strip_accents: true,
    split_chinese: true,
    unknown: "[UNK]",
    start: "[CLS]",
    end: "[SEP]",
    special: ["[UNK]", "[MASK]"],
  });
  assertEquals(new TextDecoder().decode(vocabulary), "[UNK]\n[CLS]\n[SEP]\nword\n[MASK]\n");
  assertEquals([...createTokenizer(header, vocabulary).encode("Word[MASK]", 8)], [1, 3, 4, 2]);
});

Deno.test("convertTokenizer converts a Unigram tokenizer", () => {
  const { header, vocabulary } = convert(UNIGRAM);
  assertEquals(header, {
    type: "unigram",
    unknown: "<unk>",
    start: "<s>",
    end: "</s>",
    special: ["<unk>", "<mask>"],
    lstrip: ["<mask>"],
    pre_tokenizer: "metaspace",
    collapse_spaces: true,
    trim_end: true,
  });
  assertEquals([...createTokenizer(header, vocabulary).encode("word  <mask>", 8)], [0, 3, 4, 1]);
});

Deno.test("convertTokenizer recognizes words that end at white space", () => {
  const pre_tokenizer = {
    type: "Sequence",
    pretokenizers: [{ type: "WhitespaceSplit" }, {
      type: "Metaspace",
      replacement: "▁",
      add_prefix_space: true,
    }],
  };
  const { header } = convert({ ...UNIGRAM, pre_tokenizer });
  assertEquals(header.type === "unigram" && header.pre_tokenizer, "whitespace_metaspace");
});

Deno.test("convertTokenizer reads scores with the rounding of the reference", () => {
  const vocab = [...UNIGRAM.model.vocab, ["▁", -11.048431396484375]];
  const added_tokens = UNIGRAM.added_tokens.slice(0, 1);
  const { vocabulary } = convert({ ...UNIGRAM, added_tokens, model: { ...UNIGRAM.model, vocab } });
  assertEquals(new DataView(vocabulary.buffer).getFloat64(8 + 4 * 8, true), -11.048431396484377);
});

for (
  const [tokenizer, message] of [
    [
      { ...WORDPIECE, model: { type: "BPE" } },
      'model.type of tokenizer.json must be "WordPiece" or "Unigram"',
    ],
    [
      { ...WORDPIECE, normalizer: { type: "NFC" } },
      'normalizer.type of tokenizer.json must be "BertNormalizer"',
    ],
    [{ ...WORDPIECE, pre_tokenizer: null }, "pre_tokenizer of tokenizer.json must be an object, got null"],
    [
      { ...WORDPIECE, model: { ...WORDPIECE.model, vocab: { "[UNK]": 0, a: 2 } } },
      "model.vocab of tokenizer.json must be numbered from 0 without a gap at 1",
    ],
    [
      { ...WORDPIECE, added_tokens: [{ ...ADDED, id: 3, content: "[UNK]" }] },
      'added_tokens: token 3 of tokenizer.json must be "[UNK]", got "word"',
    ],
    [
      { ...UNIGRAM, model: { ...UNIGRAM.model, unk_id: null } },
      "model.unk_id of tokenizer.json must be the id",
    ],
    [
      { ...UNIGRAM, pre_tokenizer: { ...UNIGRAM.pre_tokenizer, prepend_scheme: "never" } },
      'pre_tokenizer.prepend_scheme of tokenizer.json must be "always", got "never"',
    ],
  ] as const
) {
  Deno.test(`convertTokenizer: ${message}`, () => {
    const error = assertThrows(() => convert(tokenizer), TokenizerError, message);
    assertEquals(error.code, "options");
  });
}

Deno.test("convertTokenizer: a file that is no JSON is an error", () => {
  assertThrows(() => convertTokenizer("{"), TokenizerError, "tokenizer.json must be JSON");
});
