import { assert, assertEquals, assertThrows } from "@std/assert";
import { createTokenizer, TokenizerError, type UnigramOptions } from "../../../src/encoder/tokenizer/mod.ts";
import { encodeUnigramVocabulary } from "../../../src/encoder/tokenizer/unigram_vocabulary.ts";
import { charsmapBytes } from "./charsmap_bytes.ts";

const SPECIAL = ["<s>", "</s>", "<unk>", "<mask>"];
const OPTIONS: UnigramOptions = {
  type: "unigram",
  unknown: "<unk>",
  start: "<s>",
  end: "</s>",
  special: SPECIAL,
  lstrip: ["<mask>"],
  pre_tokenizer: "whitespace_metaspace",
  collapse_spaces: false,
  trim_end: false,
};

interface Settings extends Partial<UnigramOptions> {
  readonly maxTokens?: number;
  readonly charsmap?: Readonly<Record<string, string>>;
}

/** Returns the tokens of a text between the special tokens around it. */
function tokens(
  text: string,
  scores: Readonly<Record<string, number>>,
  { maxTokens = 256, charsmap, ...options }: Settings = {},
): string[] {
  const all = [...SPECIAL, ...Object.keys(scores)];
  const vocabulary = encodeUnigramVocabulary({
    tokens: all,
    scores: [...SPECIAL.map(() => 0), ...Object.values(scores)],
    charsmap: charsmap === undefined ? new Uint8Array() : charsmapBytes(charsmap),
  });
  const ids = [...createTokenizer({ ...OPTIONS, ...options }, vocabulary).encode(text, maxTokens)];
  const found = ids.map((id) => all[id] ?? `${id}?`);
  assertEquals([found[0], found.at(-1)], ["<s>", "</s>"]);
  return found.slice(1, -1);
}

Deno.test("Unigram takes the segmentation with the highest sum of scores", () => {
  const scores = { "▁": -3, a: -1, b: -1, c: -1, ab: -1.5, bc: -3, "▁abc": -9 };
  assertEquals(tokens("abc", scores), ["▁", "ab", "c"]);
  assertEquals(tokens("abc", { ...scores, "▁abc": -5 }), ["▁abc"]);
});

Deno.test("Unigram takes the longest last token among equal sums", () => {
  assertEquals(tokens("abc", { "▁": -1, ab: -2, c: -2, a: -2, bc: -2 }), ["▁", "a", "bc"]);
});

Deno.test("Unigram prefers any token to an unknown character, and joins unknown ones", () => {
  const scores = { "▁": -1, a: -50 };
  assertEquals(tokens("axya", scores), ["▁", "a", "<unk>", "a"]);
  assertEquals(tokens("😀😀a", scores), ["▁", "<unk>", "a"]);
});

Deno.test("Unigram starts each word with a metaspace, also after special tokens", () => {
  const scores = { "▁a": -1, "▁b": -1, "▁": -5 };
  assertEquals(tokens("a b\n\ta", scores), ["▁a", "▁b", "▁a"]);
  assertEquals(tokens("a<mask>b", scores), ["▁a", "<mask>", "▁b"]);
  assertEquals(tokens("a▁b ▁a", scores), ["▁a", "▁b", "▁a"]);
});

Deno.test("Unigram with white space as word boundary ignores how much there is", () => {
  assertEquals(tokens("  a \u3000 \u0085b  ", { "▁a": -1, "▁b": -1 }), ["▁a", "▁b"]);
});

Deno.test("Unigram with the metaspace alone keeps each space", () => {
  const scores = { "▁a": -1, "▁b": -1, "▁": -2, a: -9 };
  assertEquals(tokens("a  b ", scores, { pre_tokenizer: "metaspace" }), ["▁a", "▁", "▁b", "▁"]);
  assertEquals(tokens("a  b ", scores, { pre_tokenizer: "metaspace", collapse_spaces: true }), [
    "▁a",
    "▁b",
    "▁",
  ]);
  assertEquals(tokens("a b  ", scores, { pre_tokenizer: "metaspace", trim_end: true }), ["▁a", "▁b"]);
});

Deno.test("Unigram removes the white space before tokens of lstrip", () => {
  const scores = { "▁a": -1, "▁": -2 };
  assertEquals(tokens("a  <mask>", scores, { pre_tokenizer: "metaspace" }), ["▁a", "<mask>"]);
  assertEquals(tokens("a <unk>", scores, { pre_tokenizer: "metaspace" }), ["▁a", "▁", "<unk>"]);
});

Deno.test("Unigram replaces characters before it splits words", () => {
  const scores = { "▁fi": -1, "▁a": -1 };
  assertEquals(tokens("ﬁ\u00a0a", scores, { charsmap: { "ﬁ": "fi", "\u00a0": " " } }), ["▁fi", "▁a"]);
});

Deno.test("Unigram takes unpaired surrogates for U+FFFD", () => {
  assertEquals(tokens("a\ud800", { "▁a": -1, "\ufffd": -1 }), ["▁a", "\ufffd"]);
});

Deno.test("Unigram returns at most maxTokens ids", () => {
  const scores = { "▁": -2, a: -1 };
  assertEquals(tokens("aaa", scores, { maxTokens: 4 }), ["▁", "a"]);
  assertEquals(tokens("aaa", scores, { maxTokens: 2 }), []);
});

Deno.test("Unigram gives the same tokens for a long text as for its words", () => {
  const scores = { "▁": -2, a: -1, "▁b": -1, c: -1, "<unk>x": -1 };
  const words = Array.from({ length: 3000 }, (_, i) => ["aaa", "b", "ccc.", "?", "中aa"][i % 5]!);
  const each = words.flatMap((word) => tokens(word, scores));
  assertEquals(tokens(words.join(" "), scores, { maxTokens: 100_000 }), each);
  const spaced = tokens(words.join("  "), scores, { maxTokens: 100_000, pre_tokenizer: "metaspace" });
  assertEquals(spaced.length, each.length + words.length - 1);
});

Deno.test("Unigram cuts words beyond 16,384 characters without starting a word", () => {
  const found = tokens("a".repeat(40_000), { "▁": -2, a: -1 }, { maxTokens: 50_000 });
  assertEquals([found.length, found.filter((token) => token === "▁").length], [40_001, 1]);
});

Deno.test("a Unigram vocabulary that is damaged is an error", () => {
  const valid = encodeUnigramVocabulary({
    tokens: SPECIAL,
    scores: [0, 0, 0, 0],
    charsmap: charsmapBytes({ "ﬁ": "fi" }),
  });
  assert(createTokenizer(OPTIONS, valid).size === SPECIAL.length);
  const change = (offset: number, ...bytes: number[]) => {
    const changed = valid.slice();
    changed.set(bytes, offset);
    return changed;
  };
  for (
    const [bytes, message] of [
      [valid.slice(0, 7), "the vocabulary must have at least 8 bytes, got 7"],
      [change(0, 255, 255, 255, 255), "must have at least 3"],
      [change(4, 255, 255, 255, 255), "must have at least 4"],
      [change(14, 0xf0, 0x7f), "the score of token 0 must be finite, got Infinity"],
      [valid.slice(0, -8), "the vocabulary must have 4 tokens, one for each score, got 3"],
      [valid.slice(0, 40), "must have at least"],
    ] as const
  ) {
    const error = assertThrows(() => createTokenizer(OPTIONS, bytes), TokenizerError, message);
    assertEquals(error.code, "vocabulary");
  }
});
