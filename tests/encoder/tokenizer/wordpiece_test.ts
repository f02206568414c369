import { assertEquals, assertThrows } from "@std/assert";
import { createTokenizer, type WordPieceOptions } from "../../../src/encoder/tokenizer/mod.ts";

const OPTIONS: WordPieceOptions = {
  type: "wordpiece",
  lowercase: true,
  strip_accents: true,
  split_chinese: true,
  unknown: "[UNK]",
  start: "[CLS]",
  end: "[SEP]",
  special: ["[UNK]", "[CLS]", "[SEP]", "[MASK]"],
};
const SPECIAL = ["[UNK]", "[CLS]", "[SEP]", "[MASK]"];

/** Returns the tokens of a text between the special tokens around it. */
function tokens(
  text: string,
  vocabulary: readonly string[],
  { maxTokens = 256, ...options }: Partial<WordPieceOptions> & { maxTokens?: number } = {},
): string[] {
  const all = [...SPECIAL, ...vocabulary];
  const tokenizer = createTokenizer({ ...OPTIONS, ...options }, new TextEncoder().encode(all.join("\n")));
  const ids = [...tokenizer.encode(text, maxTokens)].map((id) => all[id] ?? `${id}?`);
  assertEquals([ids[0], ids.at(-1)], ["[CLS]", "[SEP]"]);
  return ids.slice(1, -1);
}

Deno.test("WordPiece splits a word into the longest tokens", () => {
  assertEquals(tokens("unaffable", ["un", "una", "##ffa", "##ff", "##able", "##ble"]), [
    "una",
    "##ffa",
    "##ble",
  ]);
});

Deno.test("WordPiece does not go back to a shorter token when the rest of a word has none", () => {
  assertEquals(tokens("abcd", ["abc", "ab", "##cd"]), ["[UNK]"]);
});

Deno.test("WordPiece makes a word unknown as a whole when one character has no token", () => {
  assertEquals(tokens("hello hell", ["hell", "##a"]), ["[UNK]", "hell"]);
});

Deno.test("WordPiece takes tokens without ## at the start of words only", () => {
  assertEquals(tokens("aba", ["a", "##b"]), ["[UNK]"]);
  assertEquals(tokens("aba", ["a", "##b", "##a"]), ["a", "##b", "##a"]);
});

Deno.test("WordPiece makes words of more than 100 characters unknown", () => {
  const vocabulary = ["x", "##x", "😀", "##😀"];
  assertEquals(tokens("x".repeat(100), vocabulary).length, 100);
  assertEquals(tokens("x".repeat(101), vocabulary), ["[UNK]"]);
  assertEquals(tokens("😀".repeat(100), vocabulary).length, 100);
  assertEquals(tokens("😀".repeat(101), vocabulary), ["[UNK]"]);
  assertEquals(tokens(`${"x".repeat(101)} x`, vocabulary), ["[UNK]", "x"]);
});

Deno.test("WordPiece splits at punctuation, of ASCII symbols too", () => {
  const vocabulary = ["a", "b", "-", "$", "«", "。", "_"];
  assertEquals(tokens("a-b$a_b«a。b", vocabulary), ["a", "-", "b", "$", "a", "_", "b", "«", "a", "。", "b"]);
});

Deno.test("WordPiece does not split at symbols outside of ASCII", () => {
  assertEquals(tokens("a€b → c", ["a€b", "→", "c"]), ["a€b", "→", "c"]);
});

Deno.test("WordPiece splits at every kind of white space", () => {
  const spaces = [" ", "\t", "\n", "\r\n", "\u00a0", "\u1680", "\u2003", "\u2028", "\u202f", "\u3000"];
  for (const space of spaces) assertEquals(tokens(`a${space}b`, ["a", "b"]), ["a", "b"], escape(space));
});

Deno.test("WordPiece removes control, format and private use characters within words", () => {
  const removed = [
    "\0",
    "\x07",
    "\x7f",
    "\x85",
    "\u00ad",
    "\u200b",
    "\u200d",
    "\u202e",
    "\ufeff",
    "\ufffd",
    "\ue000",
  ];
  for (const character of [...removed, "\u{e0041}", "\u{f0000}", "\u{10fffd}"]) {
    assertEquals(tokens(`a${character}b`, ["ab"]), ["ab"], escape(character));
  }
});

Deno.test("WordPiece removes unpaired surrogates", () => {
  assertEquals(tokens("a\ud83db \ude00a a\ud83d", ["ab", "a"]), ["ab", "a", "a"]);
});

Deno.test("WordPiece lowercases and strips accents, composed or not", () => {
  assertEquals(tokens("Ünïcödé u\u0308nico\u0308de\u0301", ["unicode"]), ["unicode", "unicode"]);
  assertEquals(tokens("ŁÓDŹ İSTANBUL Straße", ["łodz", "istanbul", "straße"]), [
    "łodz",
    "istanbul",
    "straße",
  ]);
});

Deno.test("WordPiece keeps case and accents if the options say so", () => {
  const vocabulary = ["É", "é", "E", "e"];
  assertEquals(tokens("É", vocabulary, { strip_accents: false }), ["é"]);
  assertEquals(tokens("É", vocabulary, { lowercase: false }), ["E"]);
  assertEquals(tokens("É", vocabulary, { lowercase: false, strip_accents: false }), ["É"]);
});

Deno.test("WordPiece lowercases a final sigma like any other", () => {
  assertEquals(tokens("ΟΔΟΣ οδος", ["οδοσ", "οδος"]), ["οδοσ", "οδος"]);
});

Deno.test("WordPiece decomposes Hangul syllables when it strips accents", () => {
  const jamo = "각".normalize("NFD");
  assertEquals(tokens("각", ["각", jamo]), [jamo]);
  assertEquals(tokens("각", ["각", jamo], { strip_accents: false }), ["각"]);
});

Deno.test("WordPiece makes each Chinese character a word, beyond the basic plane too", () => {
  const vocabulary = ["中", "文", "𠀀", "##文", "a"];
  assertEquals(tokens("中文a𠀀文", vocabulary), ["中", "文", "a", "𠀀", "文"]);
  assertEquals(tokens("中文", vocabulary, { split_chinese: false }), ["中", "##文"]);
});

Deno.test("WordPiece keeps kana and Hangul together", () => {
  assertEquals(tokens("ひら カナ", ["ひら", "カナ"]), ["ひら", "カナ"]);
});

Deno.test("WordPiece takes special tokens of the text for themselves", () => {
  assertEquals(tokens("a[MASK]a [mask]", ["a", "mask", "[", "]"]), ["a", "[MASK]", "a", "[", "mask", "]"]);
});

Deno.test("WordPiece returns at most maxTokens ids, with the special tokens around the text", () => {
  assertEquals(tokens("a b c", ["a", "b", "c"], { maxTokens: 4 }), ["a", "b"]);
  assertEquals(tokens("abc", ["a", "##b", "##c"], { maxTokens: 4 }), ["a", "##b"]);
  assertEquals(tokens("a b c", ["a", "b", "c"], { maxTokens: 2 }), []);
  assertThrows(() => tokens("a", ["a"], { maxTokens: 1 }), RangeError, "at least 2, got 1");
});

Deno.test("WordPiece returns the special tokens alone for a text without words", () => {
  for (const text of ["", "   ", "\u0301", "\u200b\n"]) assertEquals(tokens(text, ["a"]), []);
});

Deno.test("WordPiece gives the same ids wherever it cuts a long run of characters", () => {
  const vocabulary = ["é", "##é", "e", "##e", "я", "##я"];
  for (const length of [255, 256, 257, 300]) {
    const text = `${"я".repeat(length % 90)} ${"é ".repeat(length)}`;
    assertEquals(tokens(text, vocabulary, { maxTokens: 1000 }).length, length % 90 + length);
  }
  assertEquals(
    tokens(`${"x".repeat(3)}${"😀 ".repeat(300)}`, ["xxx", "##😀", "😀"], { maxTokens: 1000 }).length,
    301,
  );
});

/** Names a character in a message. */
function escape(character: string): string {
  return [...character].map((each) => `U+${each.codePointAt(0)!.toString(16)}`).join(" ");
}
