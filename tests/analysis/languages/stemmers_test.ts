import { assert, assertEquals } from "@std/assert";
import { stem as snowball } from "multilingual-stemmer";
import { hasStems, stemsIn } from "../../../src/analysis/languages/stemmers.ts";
import { INFLECTIONS } from "./inflections.ts";

const wordsOf = (text: string) => text.normalize("NFC").toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
const shareStem = (a: string, b: string, language: string) =>
  stemsIn(a, language, snowball).some((stem) => stemsIn(b, language, snowball).includes(stem));

for (const [language, sentences] of Object.entries(INFLECTIONS)) {
  if (language === "en") continue;
  Deno.test(`${language}: a word of each sentence has a stem of its query`, () => {
    const missed = sentences.filter(([sentence, query]) =>
      !wordsOf(sentence).some((word) => wordsOf(query).some((queried) => shareStem(word, queried, language)))
    );
    assertEquals(missed, []);
  });
}

const UNRELATED: readonly (readonly [language: string, a: string, b: string])[] = [
  ["de", "haus", "hausen"],
  ["de", "vertrag", "vertraut"],
  ["es", "ciudad", "cuidado"],
  ["fi", "talo", "tila"],
  ["fr", "journal", "journée"],
  ["he", "ספר", "מספרה"],
  ["hu", "ház", "házasság"],
  ["nl", "huis", "huid"],
  ["pl", "dom", "doktor"],
  ["ru", "дом", "доктор"],
  ["sv", "bil", "bild"],
  ["tr", "kitap", "kilit"],
];
Deno.test("unrelated words have different stems", () => {
  assertEquals(UNRELATED.filter(([language, a, b]) => language !== "he" && shareStem(a, b, language)), [
    // Snowball removes the ending of the verb.
    ["de", "haus", "hausen"],
  ]);
});

Deno.test("stems have no accents, are letters only, and are the same for every call", () => {
  for (const [language, sentences] of Object.entries(INFLECTIONS)) {
    for (const [sentence] of sentences) {
      for (const word of wordsOf(sentence)) {
        const stems = stemsIn(word, language, snowball);
        assertEquals(stemsIn(word, language, snowball), stems);
        for (const stem of stems) {
          assert(/^0?[\p{L}\p{Mn}\p{Mc}]+$/u.test(stem), `${language}: ${word} → ${stem}`);
        }
        if (/^\p{Script=Latin}/u.test(word)) assert(stems.every((stem) => /^0?[a-z]+$/.test(stem)), word);
      }
    }
  }
});

Deno.test("words of another script, single letters and overlong words have no stems", () => {
  assertEquals(stemsIn("house", "ru", snowball), []);
  assertEquals(stemsIn("дома", "de", snowball), []);
  assertEquals(stemsIn("a", "de", snowball), []);
  assertEquals(stemsIn("a".repeat(65), "de", snowball), []);
  assertEquals([hasStems("de"), hasStems("en"), hasStems("toString")], [true, false, false]);
});

Deno.test("every stemmer accepts any word", () => {
  const words = ["ß", "ııı", "ñññññ", "ا".repeat(30), "ะะะ", "ы".repeat(64), "\u0301\u0301a", "कि", "ﷺ"];
  for (const language of Object.keys(INFLECTIONS)) {
    for (const word of words) assert(Array.isArray(stemsIn(word, language, snowball)));
  }
});
