import type { DatabaseSync } from "node:sqlite";
import { first } from "../store/sql.ts";
import type { CorpusSize } from "./bm25.ts";

/** Chunks on one page of lengths. */
const PAGE = 4096;

/**
 * How many words each chunk has, by its id, as FTS5 keeps it: 2 bytes a chunk in memory. Pages, because ids are never used
 * again: years of replaced documents leave holes that should cost nothing.
 */
export class ChunkLengths {
  readonly #pages = new Map<number, Uint16Array>();
  #measuredUpTo = 0;
  /** The page asked for last: ids are asked for in order. */
  #page: Uint16Array = new Uint16Array();
  #pageNumber = -1;

  /** Reads what is new. Ids only grow, and the words of a chunk never change, so what is known stands. */
  refresh(db: DatabaseSync): void {
    const row = first<{ ids: string; sizes: string }>(
      db,
      `SELECT json_group_array(id) AS ids, json_group_array(hex(sz)) AS sizes
         FROM chunks_fts_docsize WHERE id > ?`,
      this.#measuredUpTo,
    );
    const ids = JSON.parse(row?.ids ?? "[]") as number[];
    const sizes = JSON.parse(row?.sizes ?? "[]") as string[];
    for (const [index, id] of ids.entries()) {
      this.#pageOf(id)[id % PAGE] = Math.min(sum(varints(sizes[index] ?? "")), 0xffff);
    }
    this.#measuredUpTo = ids.at(-1) ?? this.#measuredUpTo;
  }

  /** Words of a chunk, title and headings included. */
  of(id: number): number {
    return this.#pageOf(id)[id % PAGE] ?? 0;
  }

  #pageOf(id: number): Uint16Array {
    const number = Math.floor(id / PAGE);
    if (number !== this.#pageNumber) {
      let page = this.#pages.get(number);
      if (!page) this.#pages.set(number, page = new Uint16Array(PAGE));
      [this.#page, this.#pageNumber] = [page, number];
    }
    return this.#page;
  }
}

/** Reads the averages record of FTS5: how many rows, then how many words in each column. */
export function readCorpusSize(db: DatabaseSync): CorpusSize {
  const row = first<{ record: string }>(db, "SELECT hex(block) AS record FROM chunks_fts_data WHERE id = 1");
  const [chunks = 0, ...words] = varints(row?.record ?? "");
  return { chunks, averageLength: chunks > 0 ? Math.max(1, sum(words) / chunks) : 1 };
}

/** SQLite's varints: seven bits a byte, the high ones first, the eighth bit says that more follow. */
function varints(hex: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  for (let at = 0; at < hex.length; at += 2) {
    const byte = parseInt(hex.slice(at, at + 2), 16);
    value = value * 128 + (byte & 127);
    if (byte < 128) {
      numbers.push(value);
      value = 0;
    }
  }
  return numbers;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0);
}
