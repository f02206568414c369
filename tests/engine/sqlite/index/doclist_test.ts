import { assertEquals, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { leafRowid, termKey } from "../../../../src/engine/sqlite/index/fts5_format.ts";
import { LeafPage } from "./reference_pages.ts";
import { Fts5PageIndex } from "../../../../src/engine/sqlite/index/fts5_page_index.ts";
import { IndexMemory } from "../../../../src/engine/sqlite/index/index_memory.ts";
import { IndexDamagedError } from "../../../../src/engine/sqlite/index/mod.ts";
import { seededRandom } from "../../../support/random.ts";
import { leafPage } from "./fts5_pages.ts";
import { readPostings, TestLengths } from "./lengths.ts";
import { findDoclist, readDoclist } from "./reference_doclist.ts";

const SEGMENT = 1;

const db = new DatabaseSync(":memory:");
db.exec(`
  CREATE TABLE pages_data (id INTEGER PRIMARY KEY, block BLOB);
  CREATE TABLE pages_idx (segid, term, pgno, PRIMARY KEY (segid, term)) WITHOUT ROWID;
  INSERT INTO pages_idx VALUES (${SEGMENT}, x'', 2);
`);
const insert = db.prepare("INSERT INTO pages_data VALUES (?, ?)");
const memory = new IndexMemory();
const lengths = new TestLengths();
lengths.set(Array.from({ length: 1000 }, (_, index) => index + 1));
memory.update(lengths);

/** Reads the doclist of `heron`, which starts on the first page. */
function rowsOf(pages: readonly Uint8Array[]): [rowid: number, weight: number][] {
  db.exec("DELETE FROM pages_data");
  pages.forEach((page, index) => insert.run(leafRowid(SEGMENT, index + 1), page));
  const segment = { id: SEGMENT, firstPage: 1, lastPage: Math.max(1, pages.length) };
  const index = new Fts5PageIndex(db, [segment], { memory, table: "pages" });
  return readPostings(memory, () => index.locate(["heron"]).forEach((located) => index.read(located)));
}

/** Does the same in TypeScript. */
function referenceRows(pages: readonly Uint8Array[]): [rowid: number, weight: number][] {
  const page = new LeafPage(pages[0] ?? new Uint8Array());
  const range = findDoclist(page, termKey("heron"));
  if (!range) return [];
  const rows: [number, number][] = [];
  readDoclist({ ...range, page, pageNumber: 1 }, {
    loadPage: (number) => pages[number - 1] ?? new Uint8Array(),
    columnWeights: [3, 2, 1],
    visit: (rowid, weight) => rows.push([rowid, Math.min(weight, 255)]),
  });
  return rows.filter(([rowid]) => lengths.lengthsOn(0)[rowid] !== 0 && rowid <= 1000);
}

/** A page with the doclist of `heron`, followed by another term unless `isLast`. */
const first = (doclist: readonly number[], isLast = false) =>
  leafPage([{ term: "heron", doclist }, ...(isLast ? [] : [{ term: "reed", doclist: [1, 2, 2] }])]);

const CASES: Record<string, { pages: Uint8Array[]; expected: [number, number][] }> = {
  "occurrences in column 0": { pages: [first([7, 4, 2, 3])], expected: [[7, 6]] },
  "an offset of two bytes": { pages: [first([7, 4, 0x81, 0x00])], expected: [[7, 3]] },
  "occurrences in every column": {
    pages: [first([7, 14, 2, 1, 1, 2, 2, 1, 2])],
    expected: [[7, 3 + 2 + 2]],
  },
  "a later column only": { pages: [first([7, 8, 1, 2, 2, 3])], expected: [[7, 2]] },
  "many occurrences in the body": {
    // Of 31 positions of two bytes, whose second bytes are the number of a column marker, some are on both sides of a
    // vector of 16 bytes.
    pages: [
      first([7, 0x81, 4, 1, 2, 3, ...Array<number[]>(31).fill([0x81, 1]).flat(), 4, 3, 8, 1, 2, 2, 3]),
    ],
    expected: [[7, 33], [10, 2]],
  },
  "rowids as differences": {
    pages: [first([7, 2, 2, 3, 2, 2, 0x81, 0x00, 2, 2])],
    expected: [[7, 3], [10, 3], [138, 3]],
  },
  "a delete marker": { pages: [first([7, 1, 3, 2, 2])], expected: [[10, 3]] },
  "a marker with occurrences": { pages: [first([7, 3, 2, 3, 2, 2])], expected: [[10, 3]] },
  "the last term of the last page": { pages: [first([7, 2, 2], true)], expected: [[7, 3]] },
  "rows on the next page, whose first rowid is absolute": {
    pages: [first([7, 2, 2], true), leafPage([], { before: [9, 2, 2, 1, 2, 2], firstRowid: 4 })],
    expected: [[7, 3], [9, 3], [10, 3]],
  },
  "a list that ends before a term of the next page": {
    pages: [
      first([7, 2, 2], true),
      leafPage([{ term: "reed", doclist: [1, 2, 2] }], { before: [9, 2, 2], firstRowid: 4 }),
    ],
    expected: [[7, 3], [9, 3]],
  },
  "a next page that starts with another term": {
    pages: [first([7, 2, 2], true), leafPage([{ term: "reed", doclist: [1, 2, 2] }])],
    expected: [[7, 3]],
  },
  "a position list that continues on the next page": {
    pages: [first([7, 8, 2], true), leafPage([], { before: [3, 3, 3, 9, 2, 2], firstRowid: 7 })],
    expected: [[7, 12], [9, 3]],
  },
  "a position list over a page without rowids": {
    pages: [
      first([7, 12, 2], true),
      leafPage([], { before: [3, 3] }),
      leafPage([], { before: [3, 3, 3, 9, 2, 2], firstRowid: 7 }),
    ],
    expected: [[7, 18], [9, 3]],
  },
};
for (const [name, { pages, expected }] of Object.entries(CASES)) {
  Deno.test(`the kernel reads ${name}`, () => assertEquals(rowsOf(pages), expected));
}

const DAMAGED: Record<string, Uint8Array[]> = {
  "a row that is longer than its page": [first([0x87, 0x87, 0x87], true)],
  "a size without a position list": [first([7, 0x84], true)],
  "an offset that continues past its list": [first([7, 2, 0x82, 3])],
  "many offsets, the last of which continues past its list": [
    first([7, 44, 1, 2, ...Array<number>(19).fill(3), 0x82]),
  ],
  "an unknown column after many offsets": [first([7, 48, 1, 2, ...Array<number>(20).fill(3), 1, 9])],
  "an unknown column": [first([7, 6, 1, 9, 2])],
  "a page whose content starts in its header": [Uint8Array.of(0, 0, 0, 2, 5)],
  "a page whose content is longer than the page": [Uint8Array.of(0, 0, 1, 0, 5)],
  "a footer that does not ascend": [Uint8Array.of(0, 0, 0, 8, 1, 48, 1, 48, 4, 0)],
  "a next page with an invalid header": [first([7, 8, 2], true), Uint8Array.of(0, 2, 0, 5, 3)],
};
for (const [name, pages] of Object.entries(DAMAGED)) {
  Deno.test(`the kernel rejects ${name}`, () => {
    assertThrows(() => rowsOf(pages), IndexDamagedError);
  });
}

/** Returns the rows, or whether the pages are damaged. */
function outcome(read: () => [number, number][]): unknown {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof IndexDamagedError)) throw error;
    return "damaged";
  }
}

Deno.test("the kernel reads damaged pages like the reference", () => {
  const { int, pick } = seededRandom(7);
  const samples = [...Object.values(CASES).map(({ pages }) => pages), ...Object.values(DAMAGED)];
  for (let round = 0; round < 3000; round++) {
    const pages = pick(samples).map((page) => page.slice());
    for (let changes = int(4); changes >= 0; changes--) {
      const page = pick(pages);
      if (int(8) === 0) pages.splice(int(pages.length), 1, page.subarray(0, int(page.length)) as typeof page);
      else page[int(page.length)] = pick([0, 1, 2, 7, 127, 128, 255, int(256)]);
    }
    const shown = JSON.stringify(pages.map((page) => [...page]));
    assertEquals(outcome(() => rowsOf(pages)), outcome(() => referenceRows(pages)), shown);
  }
});
