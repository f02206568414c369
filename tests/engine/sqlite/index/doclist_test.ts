import { assertEquals, assertThrows } from "@std/assert";
import { readDoclist } from "../../../../src/engine/sqlite/index/doclist.ts";
import { IndexDamagedError } from "../../../../src/engine/sqlite/index/mod.ts";
import { findDoclist, LeafPage, termKey } from "../../../../src/engine/sqlite/index/fts5_format.ts";
import { leafPage } from "./fts5_pages.ts";

/** Reads the doclist of `heron`, which starts on the first page. */
function rowsOf(pages: readonly Uint8Array[]): [rowid: number, weight: number][] {
  const page = new LeafPage(pages[0] ?? new Uint8Array());
  const range = findDoclist(page, termKey("heron"));
  if (!range) return [];
  const rows: [number, number][] = [];
  readDoclist({ ...range, page, pageNumber: 1 }, {
    loadPage: (number) => pages[number - 1] ?? new Uint8Array(),
    columnWeights: [100, 10, 1],
    visit: (rowid, weight) => rows.push([rowid, weight]),
  });
  return rows;
}

/** A page with the doclist of `heron`, followed by another term unless `isLast`. */
const first = (doclist: readonly number[], isLast = false) =>
  leafPage([{ term: "heron", doclist }, ...(isLast ? [] : [{ term: "reed", doclist: [1, 2, 2] }])]);

const CASES: Record<string, { pages: Uint8Array[]; expected: [number, number][] }> = {
  "occurrences in column 0": { pages: [first([7, 4, 2, 3])], expected: [[7, 200]] },
  "an offset of two bytes": { pages: [first([7, 4, 0x81, 0x00])], expected: [[7, 100]] },
  "occurrences in every column": {
    pages: [first([7, 14, 2, 1, 1, 2, 2, 1, 2])],
    expected: [[7, 120]],
  },
  "a later column only": { pages: [first([7, 8, 1, 2, 2, 3])], expected: [[7, 2]] },
  "rowids as differences": {
    pages: [first([7, 2, 2, 3, 2, 2, 0x81, 0x00, 2, 2])],
    expected: [[7, 100], [10, 100], [138, 100]],
  },
  "a delete marker": { pages: [first([7, 1, 3, 2, 2])], expected: [[10, 100]] },
  "a marker with occurrences": { pages: [first([7, 3, 2, 3, 2, 2])], expected: [[10, 100]] },
  "the last term of the last page": { pages: [first([7, 2, 2], true)], expected: [[7, 100]] },
  "rows on the next page, whose first rowid is absolute": {
    pages: [first([7, 2, 2], true), leafPage([], { before: [9, 2, 2, 1, 2, 2], firstRowid: 4 })],
    expected: [[7, 100], [9, 100], [10, 100]],
  },
  "a list that ends before a term of the next page": {
    pages: [
      first([7, 2, 2], true),
      leafPage([{ term: "reed", doclist: [1, 2, 2] }], { before: [9, 2, 2], firstRowid: 4 }),
    ],
    expected: [[7, 100], [9, 100]],
  },
  "a next page that starts with another term": {
    pages: [first([7, 2, 2], true), leafPage([{ term: "reed", doclist: [1, 2, 2] }])],
    expected: [[7, 100]],
  },
  "a position list that continues on the next page": {
    pages: [first([7, 8, 2], true), leafPage([], { before: [3, 3, 3, 9, 2, 2], firstRowid: 7 })],
    expected: [[7, 400], [9, 100]],
  },
  "a position list over a page without rowids": {
    pages: [
      first([7, 12, 2], true),
      leafPage([], { before: [3, 3] }),
      leafPage([], { before: [3, 3, 3, 9, 2, 2], firstRowid: 7 }),
    ],
    expected: [[7, 600], [9, 100]],
  },
};
for (const [name, { pages, expected }] of Object.entries(CASES)) {
  Deno.test(`readDoclist reads ${name}`, () => assertEquals(rowsOf(pages), expected));
}

const DAMAGED: Record<string, Uint8Array[]> = {
  "a row that is longer than its page": [first([0x87, 0x87, 0x87], true)],
  "a size without a position list": [first([7, 0x84], true)],
  "an offset that continues past its list": [first([7, 2, 0x82, 3])],
  "an unknown column": [first([7, 6, 1, 9, 2])],
  "a page whose content starts in its header": [Uint8Array.of(0, 0, 0, 2, 5)],
  "a page whose content is longer than the page": [Uint8Array.of(0, 0, 1, 0, 5)],
  "a footer that does not ascend": [Uint8Array.of(0, 0, 0, 8, 1, 48, 1, 48, 4, 0)],
  "a next page with an invalid header": [first([7, 8, 2], true), Uint8Array.of(0, 2, 0, 5, 3)],
};
for (const [name, pages] of Object.entries(DAMAGED)) {
  Deno.test(`readDoclist rejects ${name}`, () => {
    assertThrows(() => rowsOf(pages), IndexDamagedError);
  });
}
