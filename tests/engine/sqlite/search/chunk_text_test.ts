import { assert, assertEquals } from "@std/assert";
import { analyzeForSearch, WORD_CHARACTERS } from "../../../../src/analysis/mod.ts";
import { ChunkText } from "../../../../src/engine/sqlite/search/chunk_text.ts";
import { containsPhrase, plainPhrase } from "../../../../src/engine/sqlite/search/words_in_text.ts";
import { seededRandom } from "../../../support/random.ts";

Deno.test("containsPhrase finds whole words with only other characters between them", () => {
  // One pattern, since each takes several milliseconds to compile.
  const others = new RegExp(`[^${WORD_CHARACTERS}]+`, "gu");
  const { int, pick } = seededRandom(11);
  const parts = ["a", "ab", "b", "é", "東", "🚀", "𐌰", " ", " ", "-", "\n", "…", "🏽", "_"];
  for (let round = 0; round < 3000; round++) {
    const text = Array.from({ length: int(9) }, () => pick(parts)).join("");
    const words = Array.from({ length: 1 + int(3) }, () => pick(["a", "ab", "b", "é", "東", "🚀", "𐌰"]));
    const isIn = ` ${text.replace(others, " ")} `.includes(` ${words.join(" ")} `);
    assertEquals(containsPhrase(text, words), isIn, `${words.join(" + ")} in ${text}`);
  }
});

Deno.test("the pattern of a phrase matches only texts that contain it", () => {
  const { int, pick } = seededRandom(14);
  const parts = [
    "a",
    "Ab",
    "b1",
    "É",
    "東",
    "▪",
    "\u0301",
    "\u00ad",
    "\u017f",
    " ",
    "-",
    "\n",
    "_",
    "\0",
    "£",
  ];
  let matches = 0;
  for (let round = 0; round < 5000; round++) {
    const text = Array.from({ length: int(7) }, () => pick(parts)).join("");
    const words = Array.from({ length: 1 + int(3) }, () => pick(["a", "ab", "b1", "s"]));
    const row = { text, search_text: "", heading_path: "[]", search_heading: "", search_title: "" };
    if (!plainPhrase(words)!.test(text)) continue;
    matches++;
    assert(new ChunkText(row).containsPhrase(words), `${words.join(" + ")} in ${JSON.stringify(text)}`);
  }
  assert(matches > 50);
  const texts = [
    "(Grey  HERONS)",
    "grey-herons",
    "grey\nherons wade",
    "grey heron",
    "ingrey herons",
    "grey ▪ herons",
  ];
  const pattern = plainPhrase(["grey", "herons"])!;
  assertEquals(texts.filter((text) => pattern.test(text)), texts.slice(0, 3));
  assertEquals([["größe", "a"], ["a.b"], []].map(plainPhrase), [undefined, undefined, undefined]);
});

Deno.test("a phrase of subwords is one line of them, or follows the text", () => {
  const chunkOf = (text: string) =>
    new ChunkText({ text, search_text: "", heading_path: "[]", search_heading: "", search_title: "" });
  const phrases = ["user name", "file get", "name file", "get file", "get user name", "system name"];
  const found = (text: string) => phrases.filter((phrase) => chunkOf(text).containsPhrase(phrase.split(" ")));
  assertEquals(found("the system: getUserName in a file"), ["user name", "file get", "get user name"]);
  // Of other texts, only all subwords tell.
  assertEquals(found("the system: getUserName™ in a file"), ["user name", "file get", "get user name"]);
});

Deno.test("a phrase in a chunk is in its text, its subwords, its title or its headings", () => {
  const chunk = new ChunkText({
    text: "Call getUserName() first.",
    search_text: "",
    heading_path: '["Grey herons"]',
    search_heading: "",
    search_title: "Birds of ponds",
  });
  const phrases = ["call getusername", "user name", "grey herons", "of ponds", "ponds grey", "name call"];
  assertEquals(phrases.filter((phrase) => chunk.containsPhrase(phrase.split(" "))), phrases.slice(0, 4));
});

Deno.test("the subwords of headings are those of the headings, not of their JSON", () => {
  const text = new ChunkText({
    text: "herons",
    search_text: null,
    heading_path: '["Σ", "Grey"]',
    search_heading: "",
    search_title: "",
  });
  // A letter next to quotation marks has no name.
  assertEquals(["sigma", "grey"].map((word) => text.contains(word)), [true, true]);
});

Deno.test("the start of a text is that of its body, whatever follows", () => {
  const { int, pick } = seededRandom(13);
  const parts = ["a", "B", "É", "ß", "東", "<", "\u0301", "\u0338", "\u00ad", "\u3099", "🚀", "ﬁ", " "];
  for (let round = 0; round < 2000; round++) {
    const text = "Grey ".repeat(25) + "x".repeat(int(3)) +
      Array.from({ length: 4 }, () => pick(parts)).join("");
    for (const search_text of ["", null]) {
      const row = { text, search_text, heading_path: "[]", search_heading: "", search_title: "" };
      const { bodyStart } = new ChunkText(row);
      assertEquals(bodyStart, new ChunkText(row).body.slice(0, 128), text);
    }
  }
});

Deno.test("a chunk contains the words of its text, subwords, title and headings", () => {
  const { int, pick } = seededRandom(12);
  const parts = [
    "a",
    "b1",
    "Cd",
    "get",
    "User",
    "é",
    "ß",
    "₨",
    "½",
    "東",
    "京",
    "α",
    "’",
    "…",
    "-",
    ".",
    "\u0301",
    "\u00ad",
    "\u212a",
    " ",
    " ",
    "#",
    "_",
  ];
  const words = [
    "a",
    "b1",
    "ab1",
    "cd",
    "acd",
    "get",
    "user",
    "getuser",
    "e",
    "ss",
    "rs",
    "東",
    "京",
    "東京",
    "alpha",
    "a.cd",
  ];
  const textOf = (count: number) => Array.from({ length: count }, () => pick(parts)).join("");
  const isIn = (text: string, word: string) => {
    const { normalized, subwords } = analyzeForSearch(text);
    const other = `[^${WORD_CHARACTERS}]`;
    return new RegExp(
      `(?<!${other.replace("^", "")})${RegExp.escape(word)}(?!${other.replace("^", "")})`,
      "u",
    )
      .test(`${normalized}\n${subwords()}`.toLowerCase());
  };
  for (let round = 0; round < 3000; round++) {
    const text = textOf(1 + int(6));
    const row = { text, search_text: "", heading_path: "[]", search_heading: "", search_title: "" };
    const chunk = new ChunkText(row);
    for (const word of words) {
      const expected = isIn(text, word);
      assertEquals(new ChunkText(row).contains(word), expected, `${word} in ${text}`);
      assertEquals(chunk.contains(word), expected, `${word} in ${text}, after others`);
    }
  }
  const chunk = new ChunkText({
    text: "Herons",
    search_text: null,
    heading_path: '["Grey birds", "wadeUp"]',
    search_heading: "",
    search_title: "Ponds",
  });
  const found = ["herons", "heron", "grey", "wade", "ponds", "pond"].filter((word) => chunk.contains(word));
  assertEquals(found, ["herons", "grey", "wade", "ponds"]);
});
