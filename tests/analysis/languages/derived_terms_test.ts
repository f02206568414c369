import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { derivedForms, derivedTerms, loadLanguages } from "../../../src/analysis/mod.ts";

Deno.test("words of up to 64 letters have derived forms, longer ones none", async () => {
  await loadLanguages();
  assertEquals(derivedForms(`${"x".repeat(60)}ungen`, "de"), []);
  assert(derivedForms(`${"x".repeat(59)}ungen`, "de").length > 0);
});

Deno.test("a word derives the terms of each language, whichever was derived first", async () => {
  await loadLanguages();
  const word = "Mietwagenverleihe";
  const [german, dutch] = [derivedTerms(word, ["de"]), derivedTerms(word, ["nl"])];
  assertNotEquals(german, dutch);
  assertEquals(derivedTerms(word, ["nl", "de"]), `${dutch} ${german}`);
  assertEquals(derivedTerms(`${word} und ${word}`, ["de"]), `${german} ${german}`, "a stop word has none");
});
