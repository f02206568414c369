import { assert, assertEquals } from "@std/assert";
import { compoundsOf, loadLanguages } from "../../../../src/analysis/mod.ts";
import { type Postings, PostingsReader } from "../../../../src/engine/sqlite/index/mod.ts";
import { expandCompounds } from "../../../../src/engine/sqlite/search/compounds.ts";
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

  override derivedTerms(
    prefixes: readonly string[],
    limits: { readonly max: number; readonly maxTotal: number },
  ): string[][] {
    this.prefixes += prefixes.length;
    const found = super.derivedTerms(prefixes, limits);
    this.derived += found.flat().length;
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
  assertEquals(expandCompounds([prefixes], reader).map(({ length }) => length), [24]);
  assertEquals(reader.derived, 2000);
  reader.derived = 0;
  expandCompounds(Array.from({ length: 6 }, () => prefixes), reader);
  assertEquals(reader.derived, 6000);
});

Deno.test("a correction compares the frequencies of a bounded number of terms", async () => {
  await using store = await TestStore.open();
  const reader = await readerOf(words(3000, (middle) => `qwertz${middle}`).join(" "), store);
  const unknown = [{ word: "qwertz", stem: "qwertz", weight: 1 }];
  assertEquals(findCorrections({ count: 1, unknown }, { hasMatches: () => false, reader }).length, 1);
  assert(reader.terms <= 300, `${reader.terms}`);
});

Deno.test("a long query looks up the compounds of a bounded number of words", async () => {
  await using store = await TestStore.open();
  const reader = await readerOf("Der Mietvertrag liegt im Ordner.", store);
  expandCompounds(words(500, (middle) => `qwertz${middle}`).map((word) => compoundsOf(word, "de")), reader);
  assertEquals(reader.prefixes, 192);
});
