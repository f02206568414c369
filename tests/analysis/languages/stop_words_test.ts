import { assertEquals } from "@std/assert";
import { stopWordBit, stopWordsOf } from "../../../src/analysis/languages/stop_words.ts";

Deno.test("stop words are single words in lower case, composed, of languages with stems only", () => {
  const words = stopWordsOf({ fr: ["E\u0301te\u0301", "à", "c'est", "10", "à"], uk: ["à"], zu: ["na"] });
  const [french, ukrainian] = [stopWordBit("fr"), stopWordBit("uk")];
  assertEquals([...words], [["été", french], ["à", french | ukrainian]]);
  assertEquals([french & ukrainian, stopWordBit("zu")], [0, 0]);
});
