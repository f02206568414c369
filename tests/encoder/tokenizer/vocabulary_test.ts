import { assertEquals, assertThrows } from "@std/assert";
import { TokenizerError } from "../../../src/encoder/tokenizer/mod.ts";
import { EMPTY_HASH, extendHash, Vocabulary } from "../../../src/encoder/tokenizer/vocabulary.ts";

const create = (text: string) => new Vocabulary(new TextEncoder().encode(text));

Deno.test("a vocabulary finds each token by its text", () => {
  const tokens = Array.from({ length: 5000 }, (_, i) => `${i % 3 === 0 ? "##" : "ç中😀"}${i}`);
  const vocabulary = create(tokens.join("\n"));
  assertEquals(vocabulary.size, tokens.length);
  assertEquals(tokens.map((token) => vocabulary.idOf(token)), tokens.map((_, i) => i));
  assertEquals(vocabulary.idOf("absent"), undefined);
  assertEquals(vocabulary.maxLength, "ç中😀4999".length);
});

Deno.test("a vocabulary finds the text of a range", () => {
  const units = Uint16Array.from("xaby", (unit) => unit.charCodeAt(0));
  const hash = units.subarray(1, 3).reduce(extendHash, EMPTY_HASH);
  assertEquals(create("b\nab\n").find(units, 1, 3, hash), 1);
});

Deno.test("a vocabulary compares texts with equal hashes", () => {
  const units = Uint16Array.from("ac", (unit) => unit.charCodeAt(0));
  const hash = [0x61, 0x62].reduce(extendHash, EMPTY_HASH);
  assertEquals(create("ab").find(units, 0, 2, hash), -1);
});

Deno.test("a vocabulary may end with a line feed", () => {
  assertEquals([create("a\nb").size, create("a\nb\n").size], [2, 2]);
});

for (
  const [name, bytes, message] of [
    ["is empty", "", "token 0 must not be empty"],
    ["has an empty token", "a\n\nb", "token 1 must not be empty"],
    ["has a token twice", "a\nb\na\n", "tokens 0 and 2 must differ"],
    ["has a long token", `a\n${"b".repeat(129)}`, "token 1 must have at most 128 UTF-16 units, got 129"],
    ["has too many tokens", "\n".repeat(500_001), "it must have at most 500000 tokens, got 500001"],
    ["is not UTF-8", Uint8Array.of(0x61, 0xff), "it must be UTF-8"],
  ] as const
) {
  Deno.test(`a vocabulary that ${name} is an error`, () => {
    const error = assertThrows(
      () => new Vocabulary(typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes),
      TokenizerError,
      message,
    );
    assertEquals(error.code, "vocabulary");
  });
}
