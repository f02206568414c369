import { assert, assertEquals } from "@std/assert";
import { MAX_SYMBOL_BYTES, MAX_SYMBOLS } from "../../../../src/engine/sqlite/text_packing/format.ts";
import { learnSymbols, TextPacker } from "../../../../src/engine/sqlite/text_packing/mod.ts";
import { seededRandom } from "../../../support/random.ts";
import { learned, prose, proseSample, proseSymbols } from "./prose.ts";

const utf8 = (text: string) => String.fromCharCode(...new TextEncoder().encode(text));

Deno.test("symbols are different, short enough, and contain every byte of UTF-8", () => {
  const { symbols } = proseSymbols();
  assert(symbols.length > 3000 && symbols.length <= MAX_SYMBOLS, `${symbols.length}`);
  assertEquals(new Set(symbols).size, symbols.length);
  assert(symbols.every(({ length }) => length > 0 && length <= MAX_SYMBOL_BYTES));
  const random = seededRandom(1);
  const letters = Array.from({ length: 3000 }, () => String.fromCodePoint(random.int(0xd800))).join("");
  assert(new TextPacker(proseSymbols()).codesOf(letters));
});

Deno.test("a secret that fewer than three documents have is no part of a symbol", () => {
  const secret = "Zx9Qv7Kw2Jp";
  const repeated = Array(5).fill(`the password is ${secret}`).join(" and ");
  const sampleWith = (documents: number) =>
    proseSample(1).map(({ document, text }) => ({
      document,
      text: document < documents ? `${text} ${repeated}` : text,
    }));
  // Only common sequences remain: a pair of letters of the secret can be in the words of others.
  const leaked = (documents: number) =>
    learned(sampleWith(documents)).symbols.filter((symbol) => symbol.length > 1 && secret.includes(symbol));
  assertEquals(leaked(2), []);
  assert(leaked(3).length > 0);
});

Deno.test("one document makes no symbols of more than a byte", () => {
  const sample = proseSample(1).map(({ text }) => ({ document: 1, text }));
  assert(learned(sample).symbols.every(({ length }) => length === 1));
});

Deno.test("symbols of other scripts are whole words, too", () => {
  const random = seededRandom(2);
  const words = ["привет", "мир", "документ", "большой", "漢字仮", "名交じり"];
  const sample = Array.from({ length: 200 }, (_, document) => ({
    document,
    text: Array.from({ length: 80 }, () => random.pick(words)).join(" "),
  }));
  const { symbols } = learned(sample);
  assert(
    symbols.includes(utf8("привет")) || symbols.includes(utf8("привет ")) ||
      symbols.includes(utf8(" привет")),
  );
});

Deno.test("learning has many short steps, between which others may run", () => {
  const random = seededRandom(3);
  const sample = Array.from({ length: 1024 }, (_, document) => ({ document, text: prose(random, 10) }));
  const steps = [...learnSymbols(sample)].length;
  assert(steps > 60, `${steps}`);
});
