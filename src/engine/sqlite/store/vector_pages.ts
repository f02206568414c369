import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { codePageLayout, encodeCodePage, PAGE_VECTORS } from "./code_page.ts";
import { lastDeletion } from "./deletion_log.ts";
import { all, count, first, inTransaction, run } from "./sql.ts";
import { decodeVector, isVectorSize } from "./stored_vector.ts";

/*
 * A page covers a range of sequence numbers of a set: it has the codes of all vectors in it, except those deleted since.
 * It never changes. Vectors after the last page have no codes yet, and are few: a search compares them exactly.
 */

/** Number of vectors from which a set gets pages. Fewer are compared exactly in little time. */
const MIN_VECTORS = 50_000;
/** Number of vectors from which the mean of a set is computed. */
const MEAN_SAMPLE = 1024;
/** Largest id that a page can store. */
const MAX_ID = 2 ** 32 - 1;
/** Number of pages that one step verifies; takes a few milliseconds. */
const VERIFIED_PAGES = 16;

/** A row of `vector_pages`, without the codes. */
export interface VectorPage {
  readonly id: number;
  readonly last_seq: number;
  /** The last entry of the deletion log when the page was written. */
  readonly last_deletion: number;
  /** See {@linkcode CodeDeviations}. */
  readonly sign_deviation: number;
  readonly size_deviation: number;
}

interface PagedSet {
  readonly id: number;
  readonly dimensions: number;
}

interface VectorRow {
  readonly seq: number;
  readonly chunk_id: number;
  readonly vector: Uint8Array<ArrayBuffer>;
}

/** Returns the pages of a set, in the order of their vectors. */
export function vectorPages(db: DatabaseSync, setId: number): VectorPage[] {
  return all<VectorPage>(
    db,
    "SELECT id, last_seq, last_deletion, sign_deviation, size_deviation FROM vector_pages WHERE set_id = ? ORDER BY last_seq",
    setId,
  );
}

/** Returns the codes of a page; undefined if it was removed or is damaged. */
export function readVectorPage(
  db: DatabaseSync,
  id: number,
  dimensions: number,
): Uint8Array<ArrayBuffer> | undefined {
  const row = first<{ codes: Uint8Array<ArrayBuffer>; checksum: number }>(
    db,
    "SELECT codes, checksum FROM vector_pages WHERE id = ?",
    id,
  );
  if (row?.codes.byteLength !== codePageLayout(dimensions).bytes) return undefined;
  return crc32(row.codes) === row.checksum ? row.codes : undefined;
}

/** Returns the mean from which the codes of a set were computed; undefined if the set has no pages yet. */
export function pagesMean(db: DatabaseSync, setId: number): Float32Array | undefined {
  const row = first<{ mean: Uint8Array<ArrayBuffer> | null; dimensions: number | null }>(
    db,
    "SELECT mean, dimensions FROM embedding_sets WHERE id = ?",
    setId,
  );
  if (!row?.mean || row.mean.byteLength !== 4 * (row.dimensions ?? 0)) return undefined;
  return new Float32Array(row.mean.slice().buffer);
}

/** Whether a set has enough vectors without codes for a page. */
export function hasVectorsToPack(db: DatabaseSync, minVectors: number = MIN_VECTORS): boolean {
  return setToPack(db, minVectors) !== undefined;
}

/**
 * Writes the next page of codes of a set, in a transaction of its own.
 *
 * @param minVectors Number of vectors from which a set gets pages.
 * @returns Whether more steps are needed.
 */
export function packingStep(db: DatabaseSync, minVectors: number = MIN_VECTORS): boolean {
  if (!hasVectorsToPack(db, minVectors)) return false;
  return inTransaction(db, () => {
    const set = setToPack(db, minVectors);
    if (!set) return false;
    const mean = pagesMean(db, set.id) ?? storeMean(db, set);
    const rows = readVectors(db, set, lastPacked(db, set.id), PAGE_VECTORS);
    const vectors = rows.filter(({ vector }) => isVectorSize(vector.byteLength, set.dimensions));
    const page = encodeCodePage(
      vectors.map(({ chunk_id, seq, vector }) => ({
        chunkId: chunk_id,
        seq,
        vector: decodeVector(vector, set.dimensions),
      })),
      mean,
    );
    run(
      db,
      `INSERT INTO vector_pages (set_id, last_seq, last_deletion, sign_deviation, size_deviation, checksum, codes)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      set.id,
      rows.at(-1)!.seq,
      lastDeletion(db),
      page.deviations.signs,
      page.deviations.sizes,
      crc32(page.bytes),
      page.bytes,
    );
    return hasVectorsToPack(db, minVectors);
  });
}

/**
 * Verifies the next pages after one, each in a transaction of its own. Removes those that are damaged, or most of whose
 * vectors were deleted: the other vectors get new sequence numbers, and later a new page.
 *
 * @returns Id of the last verified page; undefined after the last one.
 */
export function verifyPages(db: DatabaseSync, after: number): number | undefined {
  const pages = all<{ id: number; set_id: number; dimensions: number }>(
    db,
    `SELECT p.id, p.set_id, s.dimensions FROM vector_pages p JOIN embedding_sets s ON s.id = p.set_id
      WHERE p.id > ? ORDER BY p.id LIMIT ?`,
    after,
    VERIFIED_PAGES,
  );
  for (const { id, set_id, dimensions } of pages) {
    inTransaction(db, () => {
      const isWhole = readVectorPage(db, id, dimensions) !== undefined;
      if (!isWhole || count(db, `SELECT count(*) AS n FROM (${IN_PAGE})`, id) < PAGE_VECTORS / 2) {
        removePage(db, id, set_id);
      }
    });
  }
  return pages.length < VERIFIED_PAGES ? undefined : pages.at(-1)!.id;
}

/** The sequence numbers of the vectors of a page. */
const IN_PAGE = `
  SELECT v.seq FROM vector_pages p JOIN chunk_vectors v ON v.set_id = p.set_id AND v.seq <= p.last_seq
     AND v.seq > (SELECT coalesce(max(b.last_seq), 0) FROM vector_pages b
                   WHERE b.set_id = p.set_id AND b.last_seq < p.last_seq)
   WHERE p.id = ?`;

function removePage(db: DatabaseSync, id: number, setId: number): void {
  const rows = all<VectorRow>(
    db,
    `SELECT seq, chunk_id, vector FROM chunk_vectors WHERE seq IN (${IN_PAGE}) ORDER BY seq`,
    id,
  );
  for (const { seq } of rows) run(db, "DELETE FROM chunk_vectors WHERE seq = ?", seq);
  for (const { chunk_id, vector } of rows) {
    run(
      db,
      "INSERT INTO chunk_vectors (chunk_id, set_id, vector) VALUES (?, ?, ?)",
      chunk_id,
      setId,
      vector,
    );
  }
  run(db, "DELETE FROM vector_pages WHERE id = ?", id);
}

/** Returns a set with a page of vectors without codes. Sequence numbers with gaps make this an estimate. */
function setToPack(db: DatabaseSync, minVectors: number): PagedSet | undefined {
  const sets = all<PagedSet>(db, "SELECT id, dimensions FROM embedding_sets WHERE dimensions IS NOT NULL");
  return sets.find(({ id }) => {
    const packed = lastPacked(db, id);
    const { from, to } = first<{ from: number; to: number }>(
      db,
      `SELECT coalesce((SELECT min(seq) FROM chunk_vectors WHERE set_id = ?1), 0) AS "from",
              coalesce((SELECT max(seq) FROM chunk_vectors WHERE set_id = ?1), 0) AS "to"`,
      id,
    )!;
    if (to > MAX_ID || to - packed < PAGE_VECTORS || packed === 0 && to - from + 1 < minVectors) return false;
    const unpacked = count(
      db,
      `SELECT count(*) AS n FROM (SELECT 1 FROM chunk_vectors WHERE set_id = ? AND seq > ? LIMIT ?)`,
      id,
      packed,
      packed === 0 ? minVectors : PAGE_VECTORS,
    );
    return unpacked >= (packed === 0 ? minVectors : PAGE_VECTORS);
  });
}

function lastPacked(db: DatabaseSync, setId: number): number {
  return count(db, "SELECT max(last_seq) AS n FROM vector_pages WHERE set_id = ?", setId);
}

function readVectors(db: DatabaseSync, set: PagedSet, after: number, limit: number): VectorRow[] {
  return all<VectorRow>(
    db,
    "SELECT seq, chunk_id, vector FROM chunk_vectors WHERE set_id = ? AND seq > ? ORDER BY seq LIMIT ?",
    set.id,
    after,
    limit,
  );
}

/** Computes the mean of vectors at even intervals. It never changes, so that the codes remain valid. */
function storeMean(db: DatabaseSync, set: PagedSet): Float32Array {
  const { from, to } = first<{ from: number; to: number }>(
    db,
    // Two statements: SQLite finds a minimum or a maximum by the index, but not both at once.
    `SELECT (SELECT min(seq) FROM chunk_vectors WHERE set_id = ?1) AS "from",
            (SELECT max(seq) FROM chunk_vectors WHERE set_id = ?1) AS "to"`,
    set.id,
  )!;
  const mean = new Float32Array(set.dimensions);
  let vectors = 0;
  for (let i = 0; i < MEAN_SAMPLE; i++) {
    const [row] = readVectors(db, set, from - 1 + Math.floor(i * (to - from + 1) / MEAN_SAMPLE), 1);
    if (!row || !isVectorSize(row.vector.byteLength, set.dimensions)) continue;
    const vector = decodeVector(row.vector, set.dimensions);
    vectors++;
    for (let d = 0; d < mean.length; d++) mean[d]! += vector[d]!;
  }
  for (let d = 0; d < mean.length; d++) mean[d]! /= Math.max(1, vectors);
  run(db, "UPDATE embedding_sets SET mean = ? WHERE id = ?", new Uint8Array(mean.buffer), set.id);
  return mean;
}
