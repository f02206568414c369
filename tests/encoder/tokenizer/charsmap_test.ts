import { assertEquals, assertThrows } from "@std/assert";
import { Charsmap } from "../../../src/encoder/tokenizer/charsmap.ts";
import { TokenizerError } from "../../../src/encoder/tokenizer/mod.ts";
import { charsmapBytes } from "./charsmap_bytes.ts";

function normalize(text: string, map: Readonly<Record<string, string>>): string {
  return new Charsmap(charsmapBytes(map)).normalize(text);
}

Deno.test("a charsmap replaces characters, also by several or none", () => {
  const map = { "ﬁ": "fi", "①": "1", "\t": " ", "\u200b": "", "𝔘": "U" };
  assertEquals(normalize("a\tﬁ①𝔘\u200bz", map), "a fi1Uz");
  assertEquals(normalize("unchanged 中文", map), "unchanged 中文");
});

Deno.test("a charsmap replaces printable ASCII if it has entries for it", () => {
  assertEquals(normalize("a-b", { "-": "_" }), "a_b");
});

Deno.test("a charsmap replaces a base with its mark", () => {
  assertEquals(normalize("cafe\u0301 e", { "e\u0301": "é" }), "café e");
});

Deno.test("a charsmap replaces a small cluster by the entry of its shortest prefix", () => {
  assertEquals(normalize("ª\u0301", { "ª": "a", "ª\u0301": "á" }), "a");
  assertEquals(normalize("\r\n", { "\r": " ", "\n": "!" }), " ");
});

Deno.test("a charsmap replaces the characters of a cluster from six bytes on one by one", () => {
  assertEquals(normalize("①\u200d", { "①": "1", "\u200d": "" }), "1");
  assertEquals(normalize("①\u0301\u0301", { "①": "1", "\u0301": "'" }), "1''");
});

Deno.test("a charsmap does not join marks to a control character, nor marks that stand alone", () => {
  assertEquals(normalize("\x1c\u0301", { "\x1c": "|", "\u0301": "'" }), "|'");
  assertEquals(normalize("ª\u1038", { "ª": "a" }), "a\u1038");
});

Deno.test("an empty charsmap changes nothing", () => {
  assertEquals(new Charsmap(new Uint8Array()).normalize("ﬁ e\u0301"), "ﬁ e\u0301");
});

Deno.test("a charsmap with offsets outside of its trie changes nothing and ends", () => {
  for (const unit of [0xffffffff, 0x7fffffff, 0x80000061, 0x161]) {
    const bytes = new Uint8Array(new Uint32Array([4 * 512, ...Array(512).fill(unit)]).buffer);
    assertEquals(new Charsmap(bytes).normalize("aé中").length <= 3, true);
  }
});

for (
  const [name, bytes, message] of [
    ["a trie beyond its end", [8, 0, 0, 0, 1, 2, 3, 4], "have a trie within its 8 bytes, got 8"],
    ["a trie of part of a unit", [3, 0, 0, 0, 1, 2, 3, 4], "have a trie within its 8 bytes, got 3"],
    [
      "a huge replacement",
      [0, 0, 0, 0, ...Array(256).fill(0x61)],
      "replacements of at most 255 bytes, got 256",
    ],
  ] as const
) {
  Deno.test(`a charsmap with ${name} is an error`, () => {
    const error = assertThrows(() => new Charsmap(Uint8Array.from(bytes)), TokenizerError, message);
    assertEquals(error.code, "vocabulary");
  });
}
