import { assert } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { readDoclist } from "../../../src/engine/sqlite/index/doclist.ts";
import {
  decodeStructure,
  decodeVarints,
  findDoclist,
  LeafPage,
  termKey,
  visitTerms,
} from "../../../src/engine/sqlite/index/fts5_format.ts";
import { IndexDamagedError } from "../../../src/engine/sqlite/index/mod.ts";
import { type Random, seededRandom } from "../../support/random.ts";
import type { FuzzTarget } from "../target.ts";

const TERMS = ["a", "ab", "abc", "b", "common", "w1", "w12", "x".repeat(40)];
const WEIGHTS = [3, 2, 1];
const EMPTY = new Uint8Array();

/**
 * The reader of FTS5's pages ends for any bytes, in a number of steps in proportion to their size, and throws
 * nothing but {@linkcode IndexDamagedError}. The tests of the index compare its results for intact pages.
 */
export const fts5Pages: FuzzTarget = {
  name: "fts5_pages",
  iterations: 1500,
  seeds: [64, 200].flatMap((pageSize) => [1, 2].map((seed) => realPages(pageSize, seededRandom(seed)))),
  open: () => (input) => {
    const [structure = EMPTY, ...pages] = decodeBlocks(input);
    const segments = decodeStructure(structure, 4) ?? [];
    assert(segments.length <= structure.length, `${segments.length} segments in ${structure.length} bytes`);
    assert(decodeVarints(structure).length <= structure.length);
    for (const [number, block] of pages.entries()) readPage(pages, number, block);
  },
};

function readPage(pages: readonly Uint8Array[], pageNumber: number, block: Uint8Array): void {
  const totalBytes = pages.reduce((sum, { length }) => sum + length, 0);
  expectDamage(() => {
    let visited = 0;
    visitTerms(new LeafPage(block), termKey(""), (term) => {
      visited++;
      assert(term.length <= block.length, `a term of ${term.length} bytes on a page of ${block.length}`);
    });
    assert(visited <= block.length, `${visited} terms on a page of ${block.length} bytes`);
  });
  for (const term of TERMS) {
    expectDamage(() => {
      const page = new LeafPage(block);
      const range = findDoclist(page, termKey(term));
      if (!range) return;
      let loaded = 0;
      let visited = 0;
      const loadPage = (number: number) => {
        assert(++loaded <= pages.length, `page ${number} of ${pages.length} loaded as number ${loaded}`);
        return pages[number] ?? EMPTY;
      };
      const visit = (rowid: number, weight: number) => {
        assert(++visited <= totalBytes, `${visited} rows in ${totalBytes} bytes`);
        assert(
          Number.isInteger(rowid) && rowid >= 0 && Number.isFinite(weight),
          `row ${rowid} of weight ${weight}`,
        );
      };
      readDoclist({ ...range, page, pageNumber }, { loadPage, columnWeights: WEIGHTS, visit });
    });
  }
}

function expectDamage(read: () => void): void {
  try {
    read();
  } catch (error) {
    if (!(error instanceof IndexDamagedError)) throw error;
  }
}

/** Splits an input into blocks with a length of two bytes each. */
function decodeBlocks(input: Uint8Array): Uint8Array[] {
  const blocks: Uint8Array[] = [];
  for (let at = 0; at + 2 <= input.length;) {
    const length = input[at]! << 8 | input[at + 1]!;
    blocks.push(input.subarray(at + 2, at + 2 + length));
    at += 2 + length;
  }
  return blocks;
}

/** Returns the structure record and the pages of an index of random rows that SQLite wrote. */
function realPages(pageSize: number, random: Random): Uint8Array {
  using db = new DatabaseSync(":memory:");
  db.exec(`CREATE VIRTUAL TABLE t USING fts5 (title, heading, body);
    INSERT INTO t (t, rank) VALUES ('pgsz', ${pageSize})`);
  const insert = db.prepare("INSERT INTO t (rowid, title, heading, body) VALUES (?, ?, ?, ?)");
  const text = () => Array.from({ length: random.int(9) }, () => random.pick(TERMS)).join(" ");
  for (let row = 1; row < 40; row++) insert.run(row * row * row, text(), text(), text());
  db.exec("INSERT INTO t (t) VALUES ('optimize')");
  const rows = db.prepare("SELECT block FROM t_data WHERE id >= 10 ORDER BY id").all() as {
    block: Uint8Array;
  }[];
  return Uint8Array.from(rows.flatMap(({ block }) => [block.length >> 8, block.length & 255, ...block]));
}
