import type { DatabaseSync } from "node:sqlite";
import { first } from "./sql.ts";

/** Indexed chunks in ascending order of their ids. All arrays have the same length. */
export interface ChunkSizes {
  readonly ids: readonly number[];
  /** Values of `chunks.document_id`: see contents.ts. */
  readonly contents: readonly number[];
  /** Numbers of words, including title and headings. */
  readonly lengths: readonly number[];
  /** Numbers of words without title and headings. */
  readonly bodyLengths: readonly number[];
}

/**
 * Reads the sizes of chunks from their rows in the full-text index.
 *
 * @param options.after Id before the first chunk.
 * @param options.last Largest id. @default {Infinity}
 * @param options.limit Maximum number of chunks.
 */
export function readChunkSizes(
  db: DatabaseSync,
  { after, last = Number.MAX_SAFE_INTEGER, limit }: {
    readonly after: number;
    readonly last?: number;
    readonly limit: number;
  },
): ChunkSizes {
  // One JSON text per column: passing a row object per chunk from SQLite takes ten times as long.
  const row = first<{ ids: string; contents: string; sizes: string }>(
    db,
    `SELECT json_group_array(id) AS ids, json_group_array(document_id) AS contents, json_group_array(hex(sz)) AS sizes
       FROM (SELECT c.id, c.document_id, s.sz FROM chunks c JOIN chunks_fts_docsize s ON s.id = c.id
              WHERE c.id > ? AND c.id <= ? ORDER BY c.id LIMIT ?)`,
    after,
    last,
    limit,
  );
  const ids = JSON.parse(row?.ids ?? "[]") as number[];
  const contents = JSON.parse(row?.contents ?? "[]") as number[];
  const columns = (JSON.parse(row?.sizes ?? "[]") as string[]).map(wordsByColumn);
  return {
    ids,
    contents,
    lengths: columns.map((words) => words.reduce((total, n) => total + n, 0)),
    bodyLengths: columns.map((words) => words.at(-1) ?? 0),
  };
}

/** Decodes the number of words in each column: a varint of 7 bits per byte, most significant first. */
function wordsByColumn(hex: string): number[] {
  const words: number[] = [];
  let value = 0;
  for (const byte of Uint8Array.fromHex(hex)) {
    value = value * 128 + (byte & 127);
    if (byte >= 128) continue;
    words.push(value);
    value = 0;
  }
  return words;
}
