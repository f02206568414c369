import { assertEquals } from "@std/assert";
import { stopWordsByLanguage } from "../../../src/analysis/languages/stop_words.ts";

Deno.test("stop words are single words in lower case, composed, of languages with stems only", () => {
  const words = stopWordsByLanguage({ fr: ["E\u0301te\u0301", "à", "c'est", "10", "à"], zu: ["na"] });
  assertEquals(words.get("fr"), new Set(["été", "à"]));
  assertEquals([words.has("zu"), words.has("de")], [false, true]);
});
