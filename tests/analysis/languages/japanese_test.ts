import { assertEquals } from "@std/assert";
import { japaneseTerms } from "../../../src/analysis/languages/japanese.ts";

Deno.test("verbs and adjectives derive their character, nouns with particles do not", () => {
  const cases: [text: string, characters: string][] = [
    ["書く 書いた 書きます", "書書書"],
    ["高かった", "高"],
    ["海へ行きます", "行"],
    ["本を読んだ", "読"],
    ["銀行した", ""],
    ["私は本が", ""],
    ["カタカナ ひらがな kanji", ""],
  ];
  for (const [text, characters] of cases) {
    assertEquals(japaneseTerms(text), Array.from(characters, (each) => `\ue000ja${each}`), text);
  }
});
