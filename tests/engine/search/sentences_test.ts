import { assertEquals } from "@std/assert";
import { sentencesOf } from "../../../src/engine/search/sentences.ts";

const texts = (text: string, max = 20) => sentencesOf(text, { max }).map((sentence) => sentence.text);

Deno.test("lines and sentences are separated, without the markup of headings, lists and quotes", () => {
  assertEquals(texts("# Plan\n\n- [x] Paint it green. Sell it!\n2. Ask why? Then wait.\n> Quoted.\n---\n"), [
    "Plan",
    "Paint it green.",
    "Sell it!",
    "Ask why?",
    "Then wait.",
    "Quoted.",
  ]);
});

Deno.test("abbreviations, initials and numbers do not end a sentence", () => {
  const sentences = [
    "Dr. Weber and J. Smith met St. Clair at 9.30 a.m. on Monday, e.g. Version 2.0 works.",
    "Next.",
  ];
  assertEquals(texts(sentences.join(" ")), sentences);
});

Deno.test("sentences of scripts without spaces are separated", () => {
  assertEquals(texts("今日は雨です。明日は晴れます。"), ["今日は雨です。", "明日は晴れます。"]);
});

Deno.test("sentences are compared without case, punctuation and stop words", () => {
  const [first, second, third] = sentencesOf("The User's editor: `Vim`!\nthe user’s editor - vim\nIt is.", {
    max: 3,
  });
  assertEquals(first?.key, second?.key);
  assertEquals(first?.terms, ["user", "editor", "vim"]);
  assertEquals(third?.terms, ["it", "is"]);
});

Deno.test("the number and the length of sentences are limited", () => {
  assertEquals(texts("One. Two. Three.", 2), ["One.", "Two."]);
  assertEquals(texts("long ".repeat(1000))[0]?.length, 300);
});
