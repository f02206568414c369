import type { DatabaseSync } from "node:sqlite";
import { termKey } from "../../../../src/engine/sqlite/index/fts5_format.ts";

/** A term and the bytes of its doclist. */
export interface PageEntry {
  readonly term: string;
  readonly doclist: readonly number[];
}

/** Encodes a leaf page. Terms must be sorted, and all lengths below 128. */
export function leafPage(
  entries: readonly PageEntry[],
  { before = [], firstRowid = 0 }: { before?: readonly number[]; firstRowid?: number } = {},
): Uint8Array<ArrayBuffer> {
  const content: number[] = [...before];
  const footer: number[] = [];
  let previous: Uint8Array | undefined;
  let previousOffset = 0;
  for (const { term, doclist } of entries) {
    const key = termKey(term);
    const offset = 4 + content.length;
    footer.push(offset - previousOffset);
    previousOffset = offset;
    let shared = 0;
    if (previous) {
      while (shared < key.length && key[shared] === previous[shared]) shared++;
      content.push(shared);
    }
    content.push(key.length - shared, ...key.slice(shared), ...doclist);
    previous = key;
  }
  const end = 4 + content.length;
  return Uint8Array.from([firstRowid >> 8, firstRowid & 255, end >> 8, end & 255, ...content, ...footer]);
}

/** Removes all pages of an index, so that only those in memory are found. */
export function removePages(db: DatabaseSync): void {
  const connection = db as DatabaseSync & { enableDefensive(active: boolean): void };
  // The defensive mode protects the tables of an index.
  connection.enableDefensive(false);
  db.exec("DELETE FROM chunks_fts_data WHERE id > 10");
  connection.enableDefensive(true);
}
