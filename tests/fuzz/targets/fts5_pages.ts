import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { decodeStructure, decodeVarints, termKey } from "../../../src/engine/sqlite/index/fts5_format.ts";
import { LeafPage, visitTerms } from "../../engine/sqlite/index/reference_pages.ts";
import { CHUNKS_PER_PAGE } from "../../../src/engine/sqlite/index/chunk_metadata.ts";
import { DAMAGED, DOCLIST_CONTINUES } from "../../../src/engine/sqlite/index/kernel.ts";
import { IndexMemory } from "../../../src/engine/sqlite/index/index_memory.ts";
import { IndexDamagedError } from "../../../src/engine/sqlite/index/mod.ts";
import { readPostings, TestLengths } from "../../engine/sqlite/index/lengths.ts";
import { findDoclist, readDoclist } from "../../engine/sqlite/index/reference_doclist.ts";
import { type Random, seededRandom } from "../../support/random.ts";
import type { FuzzTarget } from "../target.ts";

const decoder = new TextDecoder();
const TERMS = ["a", "ab", "abc", "b", "common", "w1", "w12", "x".repeat(40)];
const PREFIXES = ["", "ab", "w1"];
const WEIGHTS = [3, 2, 1];
const EMPTY = new Uint8Array();

/**
 * The reader of FTS5's pages ends for any bytes, in a number of steps in proportion to their size, and throws
 * nothing but {@linkcode IndexDamagedError}; the kernel gives the same terms and rows as TypeScript. The tests of the index compare its results for intact pages.
 */
export const fts5Pages: FuzzTarget = {
  name: "fts5_pages",
  iterations: 750,
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
  for (const prefix of PREFIXES) {
    const inTypeScript = outcome(() =>
      visitedTerms(
        (visit) => visitTerms(new LeafPage(block), termKey(prefix), (term) => visit(decoder.decode(term))),
        block,
      )
    );
    const inKernel = outcome(() =>
      visitedTerms((visit) => {
        const keyLength = memory.writeKey(termKey(prefix)) ?? 0;
        memory.visitTerms({ address: firstPage(block), length: block.length }, keyLength, visit);
      })
    );
    if (inKernel === "damaged" || inTypeScript === "damaged") continue;
    assertEquals(inKernel, inTypeScript, `prefix ${prefix} on page ${pageNumber}`);
  }
  for (const term of TERMS) {
    const inTypeScript = outcome(() => {
      const page = new LeafPage(block);
      const range = findDoclist(page, termKey(term));
      const rows: [number, number][] = [];
      if (!range) return rows;
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
        if (rowid < CHUNKS_PER_PAGE) rows.push([rowid, Math.min(weight, 255)]);
      };
      readDoclist({ ...range, page, pageNumber }, { loadPage, columnWeights: WEIGHTS, visit });
      return rows;
    });
    const inKernel = outcome(() => kernelRows(pages, pageNumber, term));
    // Both may find different damage first.
    if (inKernel === "damaged" || inTypeScript === "damaged") continue;
    assertEquals(inKernel, inTypeScript, `${term} on page ${pageNumber}`);
  }
}

const memory = new IndexMemory();
const lengths = new TestLengths();
lengths.set(Array.from({ length: CHUNKS_PER_PAGE }, (_, id) => id));
memory.update(lengths);

/** Copies a page into the memory of the index of words, and returns its address. */
function firstPage(page: Uint8Array): number {
  const { pagesStart } = memory.areas.words;
  memory.bytes.set(page, pagesStart);
  memory.bytes.fill(0, pagesStart + page.length, pagesStart + page.length + 64);
  return pagesStart;
}

function kernelRows(pages: readonly Uint8Array[], pageNumber: number, term: string): [number, number][] {
  const { kernel, key } = memory;
  return readPostings(memory, () => {
    const keyLength = memory.writeKey(termKey(term)) ?? 0;
    let number = pageNumber;
    const first = pages[number] ?? EMPTY;
    const address = firstPage(first);
    if (requireIntact(kernel.findDoclist(address, first.length, key, keyLength)) === 0) return;
    let state = requireIntact(kernel.readFirst(address, kernel.foundStart(), kernel.foundEnd()));
    while (state === DOCLIST_CONTINUES && ++number < pages.length) {
      const next = pages[number] ?? EMPTY;
      const [page] = memory.stageNext([next]);
      state = requireIntact(kernel.readNext(page?.address ?? 0, next.length));
    }
  });
}

function requireIntact(state: number): number {
  if (state === DAMAGED) throw new IndexDamagedError("damaged");
  return state;
}

/** Returns the result, or whether the pages are damaged. */
function outcome<T>(read: () => T): T | "damaged" {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof IndexDamagedError)) throw error;
    return "damaged";
  }
}

/** Returns the terms that a scan visits. Those on a page are at most as long as the page. */
function visitedTerms(scan: (visit: (term: string) => void) => unknown, page?: Uint8Array): string[] {
  const terms: string[] = [];
  scan((term) => {
    if (page) {
      assert(term.length <= page.length, `a term of ${term.length} characters on a page of ${page.length}`);
    }
    terms.push(term);
    if (page) assert(terms.length <= page.length, `${terms.length} terms on a page of ${page.length} bytes`);
  });
  return terms;
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
