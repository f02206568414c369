import { assert, assertEquals } from "@std/assert";
import { compoundsOf, loadLanguages } from "../../../../src/analysis/mod.ts";
import { type Postings, PostingsReader } from "../../../../src/engine/sqlite/index/mod.ts";
import { CompoundExpansion } from "../../../../src/engine/sqlite/search/compounds.ts";
import { findCorrections } from "../../../../src/engine/sqlite/search/spelling_correction.ts";
import { TestStore } from "../store/test_store.ts";

/*
 * One document can have 100,000 distinct words with the same beginning or ending. Searches for such words read a
 * bounded part of them: a search blocks the thread of all others.
 */

/** Counts what is read from the index. */
class CountingReader extends PostingsReader {
  terms = 0;
  prefixes = 0;
  derived = 0;

  override term(stem: string): Postings {
    this.terms++;
    return super.term(stem);
  }

  override derivedTerms(prefix: string, max: number): string[] {
    this.prefixes++;
    const found = super.derivedTerms(prefix, max);
    this.derived += found.length;
    return found;
  }
}

/** Returns distinct words of letters. */
function words(count: number, wordOf: (middle: string) => string): string[] {
  const letter = (index: number) => String.fromCharCode(97 + index % 26);
  return Array.from(
    { length: count },
    (_, index) =>
      wordOf(letter(index) + letter(Math.floor(index / 26)) + letter(Math.floor(index / 676)) + "o"),
  );
}

async function readerOf(text: string, store: TestStore): Promise<CountingReader> {
  await loadLanguages();
  store.addNote(`Das ist ein Satz, der nicht auf Englisch ist, und wir lesen ihn heute noch. ${text}`);
  const reader = new CountingReader(store.db);
  reader.refresh();
  return reader;
}

Deno.test("the compounds of a query are found among a bounded number of terms", async () => {
  await using store = await TestStore.open();
  const reader = await readerOf(words(9000, (middle) => `${middle}server`).join(" "), store);
  const prefixes = compoundsOf("server", "de");
  assertEquals(prefixes.length, 1);
  const expansion = new CompoundExpansion(reader);
  assertEquals(expansion.expand(prefixes).length, 24);
  assertEquals(reader.derived, 2000);
  for (let n = 0; n < 5; n++) expansion.expand(prefixes);
  assertEquals(reader.derived, 6000);
});

Deno.test("a correction compares the frequencies of a bounded number of terms", async () => {
  await using store = await TestStore.open();
  const reader = await readerOf(words(3000, (middle) => `qwertz${middle}`).join(" "), store);
  const unknown = [{ word: "qwertz", stem: "qwertz", weight: 1 }];
  assertEquals(findCorrections({ count: 1, unknown }, { matches: 0, reader }).length, 1);
  assert(reader.terms <= 300, `${reader.terms}`);
});

Deno.test("a long query looks up the compounds of a bounded number of words", async () => {
  await using store = await TestStore.open();
  const reader = await readerOf("Der Mietvertrag liegt im Ordner.", store);
  const expansion = new CompoundExpansion(reader);
  for (const word of words(500, (middle) => `qwertz${middle}`)) expansion.expand(compoundsOf(word, "de"));
  assertEquals(reader.prefixes, 192);
});
