/**
 * Lengths and documents of chunks in column form, which a new connection reads in milliseconds. Reading them from a row
 * per chunk takes seconds for 500,000 chunks.
 *
 * The columns follow behind the tables: they cover the chunks up to an id, and the deletions up to an entry of the
 * deletion log. A reader adds the newer chunks and deletions itself, so that a write changes nothing here, and a
 * database of an older version starts without any columns.
 *
 * @module
 */
import type { DatabaseSync } from "node:sqlite";
import { readChunkSizes } from "./chunk_sizes.ts";
import { deletionsAfter, lastDeletion } from "./deletion_log.ts";
import { all, count, first, inTransaction, run } from "./sql.ts";

/** Number of chunk ids per row: a power of two. */
export const COLUMN_CHUNKS = 4096;

/** Maximum length that fits 16 bits; longer chunks count as this long. */
export const MAX_LENGTH = 0xffff;

/** Number of chunks and deletions that a reader adds in a few milliseconds. More are added to the columns. */
const MAX_BEHIND = 1024;

/** Values of the chunks with consecutive ids. */
export interface ChunkColumns {
  /** Id of the first chunk divided by {@linkcode COLUMN_CHUNKS}. */
  readonly page: number;
  /** Numbers of words, including title and headings; 0 if the chunk does not exist. */
  readonly lengths: Uint16Array;
  /** Numbers of words without title and headings. */
  readonly bodyLengths: Uint16Array;
  /** Values of `chunks.document_id`; 0 if the chunk does not exist. */
  readonly contents: Uint32Array | Float64Array;
}

/** The chunks and deletions that the columns contain. */
export interface Coverage {
  /** Largest id of a chunk. */
  readonly lastChunk: number;
  /** Sequence number of the last entry of the deletion log. */
  readonly lastDeletion: number;
}

/** Returns the chunks and deletions that the columns contain. */
export function columnCoverage(db: DatabaseSync): Coverage {
  return first<{ lastChunk: number; lastDeletion: number }>(
    db,
    "SELECT last_chunk AS lastChunk, last_deletion AS lastDeletion FROM chunk_columns_coverage",
  ) ?? { lastChunk: 0, lastDeletion: 0 };
}

interface ColumnRow {
  page: number;
  lengths: Uint8Array;
  body_lengths: Uint8Array;
  contents: Uint8Array;
}

/**
 * Returns the columns of all chunks up to the last one that they cover. Undefined if a row is damaged, or forged in a
 * backup of somebody else: the tables have the same values.
 */
export function readColumns(db: DatabaseSync, lastChunk: number): ChunkColumns[] | undefined {
  const rows = all<ColumnRow>(
    db,
    "SELECT page, lengths, body_lengths, contents FROM chunk_columns ORDER BY page",
  );
  const pages = rows.map(decode);
  const isIntact = pages.every((each) => each && each.page >= 0 && each.page * COLUMN_CHUNKS <= lastChunk);
  return isIntact ? pages as ChunkColumns[] : undefined;
}

/**
 * Empties damaged columns, which steps build again. The writer calls this when it starts: it reads all columns, some
 * milliseconds for 500,000 chunks. A step that meets a damaged row does the same.
 */
export function removeDamagedColumns(db: DatabaseSync): void {
  if (!readColumns(db, columnCoverage(db).lastChunk)) removeColumns(db);
}

/**
 * Whether {@linkcode columnsStep} has enough to do.
 *
 * @param maxBehind Maximum number of chunks, and of deletions, that the columns may lack. @default {1024}
 */
export function hasColumnsToExtend(db: DatabaseSync, maxBehind = MAX_BEHIND): boolean {
  const { lastChunk, lastDeletion: covered } = columnCoverage(db);
  return count(db, "SELECT max(id) AS n FROM chunks") - lastChunk > maxBehind ||
    lastDeletion(db) - covered > maxBehind;
}

/**
 * Adds deletions and the chunks of one row of columns, in a transaction of its own that takes some 10 ms.
 *
 * @param maxBehind As for {@linkcode hasColumnsToExtend}.
 * @returns Whether more steps are needed.
 */
export function columnsStep(db: DatabaseSync, maxBehind = MAX_BEHIND): boolean {
  if (!hasColumnsToExtend(db, maxBehind)) return false;
  inTransaction(db, () => {
    const before = applyDeletions(db, columnCoverage(db)) ?? removeColumns(db);
    const after = addChunks(db, before) ?? addChunks(db, removeColumns(db));
    if (after) setCoverage(db, after);
  });
  return hasColumnsToExtend(db, maxBehind);
}

/** Empties the columns, which steps build again. Must be called when the index of existing chunks was built again. */
export function removeColumns(db: DatabaseSync): Coverage {
  run(db, "DELETE FROM chunk_columns");
  const coverage = { lastChunk: 0, lastDeletion: lastDeletion(db) };
  setCoverage(db, coverage);
  return coverage;
}

/** Reads chunks again that were indexed again with another number of words. */
export function updateColumns(db: DatabaseSync, chunks: readonly number[]): void {
  const { lastChunk } = columnCoverage(db);
  for (const id of chunks) {
    if (id > lastChunk) continue;
    const columns = fullPage(db, Math.floor(id / COLUMN_CHUNKS));
    if (!columns) {
      removeColumns(db);
      return;
    }
    copySizes(db, columns, { after: id - 1, last: id });
    write(db, columns);
  }
}

/** Returns the id of a chunk with wrong values in the columns; undefined if all are right. */
export function wrongColumns(db: DatabaseSync): number | undefined {
  const coverage = columnCoverage(db);
  const { ids: deletions } = deletionsAfter(db, coverage.lastDeletion);
  // The next step builds the columns again, and nothing reads them before.
  if (!deletions) return undefined;
  const deleted = new Set(deletions);
  const columns = new Map(readColumns(db, coverage.lastChunk)?.map((each) => [each.page, each]));
  for (let page = 0; page <= Math.floor(coverage.lastChunk / COLUMN_CHUNKS); page++) {
    const expected = emptyPage(page);
    copySizes(db, expected, { after: page * COLUMN_CHUNKS - 1, last: coverage.lastChunk });
    const found = columns.get(page) ?? emptyPage(page);
    for (let at = 0; at < COLUMN_CHUNKS; at++) {
      const id = page * COLUMN_CHUNKS + at;
      const isSame = (found.lengths[at] ?? 0) === expected.lengths[at] &&
        (found.bodyLengths[at] ?? 0) === expected.bodyLengths[at] &&
        (found.contents[at] ?? 0) === expected.contents[at];
      if (!isSame && !deleted.has(id)) return id;
    }
  }
  return undefined;
}

/** Returns undefined if entries of the log were pruned, or a row is damaged. */
function applyDeletions(
  db: DatabaseSync,
  { lastChunk, lastDeletion: covered }: Coverage,
): Coverage | undefined {
  const deletions = all<{ seq: number; id: number }>(
    db,
    "SELECT seq, chunk_id AS id FROM removed_chunks WHERE seq > ? ORDER BY seq LIMIT ?",
    covered,
    COLUMN_CHUNKS,
  );
  if (deletions.length === 0 && lastDeletion(db) > covered) return undefined;
  if (deletions.some(({ seq }, index) => seq !== covered + 1 + index)) return undefined;
  const ids = deletions.map(({ id }) => id).filter((id) => id <= lastChunk);
  for (const [page, deleted] of Map.groupBy(ids, (id) => Math.floor(id / COLUMN_CHUNKS))) {
    const columns = fullPage(db, page);
    if (!columns) return undefined;
    for (const id of deleted) {
      const at = id % COLUMN_CHUNKS;
      columns.lengths[at] = columns.bodyLengths[at] = columns.contents[at] = 0;
    }
    write(db, columns);
  }
  return { lastChunk, lastDeletion: deletions.at(-1)?.seq ?? covered };
}

/** Adds the chunks after the last one up to the end of a row. Returns undefined if the row is damaged. */
function addChunks(db: DatabaseSync, { lastChunk, lastDeletion }: Coverage): Coverage | undefined {
  const next = count(db, "SELECT min(id) AS n FROM chunks WHERE id > ?", lastChunk);
  if (next === 0) return { lastChunk, lastDeletion };
  const columns = fullPage(db, Math.floor(next / COLUMN_CHUNKS));
  if (!columns) return undefined;
  const last = copySizes(db, columns, { after: lastChunk, last: Number.MAX_SAFE_INTEGER });
  write(db, columns);
  // A chunk that is missing in a damaged index must not be looked for again and again.
  return { lastChunk: Math.max(next, last), lastDeletion };
}

/** Copies the sizes of the chunks of a page. Returns the id of the last chunk that was looked for. */
function copySizes(
  db: DatabaseSync,
  { page, lengths, bodyLengths, contents }: ChunkColumns,
  { after, last }: { readonly after: number; readonly last: number },
): number {
  const end = Math.min((page + 1) * COLUMN_CHUNKS - 1, last);
  const sizes = readChunkSizes(db, { after, last: end, limit: COLUMN_CHUNKS });
  for (const [index, id] of sizes.ids.entries()) {
    const at = id % COLUMN_CHUNKS;
    lengths[at] = storedLength(sizes.lengths[index] ?? 0);
    bodyLengths[at] = Math.min(sizes.bodyLengths[index] ?? 0, MAX_LENGTH);
    contents[at] = sizes.contents[index] ?? 0;
  }
  return Math.max(after, sizes.ids.at(-1) ?? 0);
}

/** Returns the length of an existing chunk as it is stored: 0 would mean that it does not exist. */
export function storedLength(words: number): number {
  return Math.min(Math.max(1, words), MAX_LENGTH);
}

function emptyPage(page: number): ChunkColumns {
  return {
    page,
    lengths: new Uint16Array(COLUMN_CHUNKS),
    bodyLengths: new Uint16Array(COLUMN_CHUNKS),
    contents: new Float64Array(COLUMN_CHUNKS),
  };
}

/** Returns a page with values for all its ids, which can be changed. Undefined if its row is damaged. */
function fullPage(db: DatabaseSync, page: number): ChunkColumns | undefined {
  const row = first<ColumnRow>(
    db,
    "SELECT page, lengths, body_lengths, contents FROM chunk_columns WHERE page = ?",
    page,
  );
  const full = emptyPage(page);
  if (!row) return full;
  const stored = decode(row);
  if (!stored) return undefined;
  full.lengths.set(stored.lengths);
  full.bodyLengths.set(stored.bodyLengths);
  full.contents.set(stored.contents);
  return full;
}

function write(db: DatabaseSync, { page, lengths, bodyLengths, contents }: ChunkColumns): void {
  const end = contents.findLastIndex((content) => content !== 0) + 1;
  if (end === 0) {
    run(db, "DELETE FROM chunk_columns WHERE page = ?", page);
    return;
  }
  // Documents have small ids, and texts that were written in several transactions have large ones.
  const used = contents.subarray(0, end);
  const stored = used.some((content) => content > 0xffffffff) ? used : Uint32Array.from(used);
  run(
    db,
    `INSERT INTO chunk_columns (page, lengths, body_lengths, contents) VALUES (?, ?, ?, ?)
         ON CONFLICT (page) DO UPDATE SET lengths = excluded.lengths, body_lengths = excluded.body_lengths,
                                          contents = excluded.contents`,
    page,
    bytesOf(lengths.subarray(0, end)),
    bytesOf(bodyLengths.subarray(0, end)),
    bytesOf(stored),
  );
}

/** Returns undefined if the lengths of the columns do not match. */
function decode({ page, lengths, body_lengths, contents }: ColumnRow): ChunkColumns | undefined {
  const chunks = lengths.byteLength / 2;
  const isIntact = Number.isInteger(chunks) && chunks <= COLUMN_CHUNKS &&
    body_lengths.byteLength === 2 * chunks &&
    (contents.byteLength === 4 * chunks || contents.byteLength === 8 * chunks);
  if (!isIntact) return undefined;
  // `slice` aligns the bytes.
  return {
    page,
    lengths: new Uint16Array(lengths.slice().buffer),
    bodyLengths: new Uint16Array(body_lengths.slice().buffer),
    contents: contents.byteLength === 4 * chunks
      ? new Uint32Array(contents.slice().buffer)
      : new Float64Array(contents.slice().buffer),
  };
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint16Array | Uint32Array | Float64Array): Uint8Array {
  return new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
}

function setCoverage(db: DatabaseSync, { lastChunk, lastDeletion }: Coverage): void {
  run(db, "UPDATE chunk_columns_coverage SET last_chunk = ?, last_deletion = ?", lastChunk, lastDeletion);
}
