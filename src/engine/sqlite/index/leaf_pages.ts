import type { DatabaseSync } from "node:sqlite";
import { allArrays } from "../store/read_only.ts";
import { leafRowid } from "./fts5_format.ts";

/** Maximum number of pages that a statement reads. */
export const MAX_PAGES = 64;

/** A leaf page: its number in the segment, and its content. Null: the page does not exist. */
export type LeafPage = readonly [number: number, block: Uint8Array | null];

/** Reads pages in the order of their rowids in the list. */
export function readPages(db: DatabaseSync, table: string, rowids: readonly number[]): LeafPage[] {
  return allArrays(
    db,
    `SELECT j.value & 0x7fffffff AS number, d.block
       FROM json_each(?) j LEFT JOIN ${table}_data d ON d.id = j.value ORDER BY j.key`,
    JSON.stringify(rowids),
  ) as unknown as LeafPage[];
}

/** Reads consecutive pages of a segment, as far as they exist. */
export function readPageRange(
  db: DatabaseSync,
  table: string,
  { segment, from, to }: { readonly segment: number; readonly from: number; readonly to: number },
): LeafPage[] {
  return allArrays(
    db,
    `SELECT id & 0x7fffffff AS number, block FROM ${table}_data WHERE id BETWEEN ? AND ? ORDER BY id`,
    leafRowid(segment, from),
    leafRowid(segment, to),
  ) as unknown as LeafPage[];
}
