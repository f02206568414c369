import { COLLECTION_PREFIX } from "../../../contract/rules/mod.ts";
import { deepFreeze } from "../../../data_structures/mod.ts";
import type { DatabaseSync } from "node:sqlite";
import { documentsToAnalyze } from "./analysis.ts";
import { IS_COLLECTION } from "./document_groups.ts";
import { all, count, dataVersion, first, sharedSnapshot } from "./sql.ts";

/** Counts for `GET /api/v1/status`. */
export interface StoreStatus {
  /** Numbers of documents. */
  documents: {
    total: number;
    by_type: Record<string, number>;
    by_collection: Record<string, number>;
    /** By main language; `und` if it is uncertain. */
    by_language: Record<string, number>;
    /** Number of documents that the background analysis has not reached yet; omitted if it is complete. */
    to_analyze?: number;
  };
  /** Number of chunks. */
  chunks: number;
  /** Number of distinct tags. */
  tags: number;
  /** The most used tags, except for those of collections. */
  top_tags: { tag: string; count: number }[];
  /** Number of deleted documents that can be restored. */
  trash: { documents: number };
  /** Number of sources. */
  sources: { total: number };
  /** Numbers of jobs by status, without pruned ones. */
  queue: { queued: number; processing: number; done: number; failed: number };
  /** Bytes on disk. */
  storage: {
    /** Size of the database and its write-ahead log. */
    database_bytes: number;
    /** Size of the files queued for ingestion. */
    spool_bytes: number;
  };
}

/** Maximum number of tags in the status. */
const MAX_TOP_TAGS = 50;

interface CountRow {
  name: string;
  n: number;
}

/** Time for which the size of the files is reused if nothing was committed, in milliseconds: a checkpoint changes it. */
const SIZES_TTL_MS = 1000;

/** The counts of the store at its latest commit. They are read again only after a commit, which takes milliseconds. */
export class StatusReader {
  readonly #db: DatabaseSync;
  readonly #read: () => StoreStatus | Promise<StoreStatus>;
  #known: { version: number; readAt: number; status: StoreStatus } | undefined;
  #pending: { version: number; status: Promise<StoreStatus> } | undefined;

  /**
   * @param db A connection that does not write: `data_version` changes with the commits of others.
   * @param read Reads the counts of the latest commit.
   */
  constructor(db: DatabaseSync, read: () => StoreStatus | Promise<StoreStatus> = () => readStatus(db)) {
    this.#db = db;
    this.#read = read;
  }

  /** Returns the counts: the same frozen object until one changes. */
  async read(): Promise<StoreStatus> {
    const db = this.#db;
    const version = sharedSnapshot(db, () => dataVersion(db));
    if (this.#known?.version !== version) {
      if (this.#pending?.version !== version) this.#pending = { version, status: this.#readFrozen() };
      const pending = this.#pending;
      try {
        const status = await pending.status;
        this.#known = { version, readAt: performance.now(), status };
        return status;
      } finally {
        if (this.#pending === pending) this.#pending = undefined;
      }
    }
    const now = performance.now();
    if (now - this.#known.readAt >= SIZES_TTL_MS) {
      this.#known = { ...this.#known, readAt: now, status: withCurrentSize(this.#known.status, db) };
    }
    return this.#known.status;
  }

  async #readFrozen(): Promise<StoreStatus> {
    return deepFreeze(await this.#read());
  }
}

function withCurrentSize(status: StoreStatus, db: DatabaseSync): StoreStatus {
  const database_bytes = databaseBytes(db);
  if (database_bytes === status.storage.database_bytes) return status;
  return deepFreeze({ ...status, storage: { ...status.storage, database_bytes } });
}

/** Reads the counts of the store. */
export function readStatus(db: DatabaseSync): StoreStatus {
  const total = count(db, "SELECT count(*) AS n FROM documents");
  const tags = readTags(db);
  const remaining = documentsToAnalyze(db);
  const byStatus = all<CountRow>(db, "SELECT status AS name, count(*) AS n FROM jobs GROUP BY status");
  const jobs = (status: string) => byStatus.find((row) => row.name === status)?.n ?? 0;
  return {
    documents: {
      total,
      by_type: countByValue(db, "doc_type", total),
      by_collection: tags.collections,
      by_language: countByValue(db, "language", total),
      ...(remaining > 0 ? { to_analyze: remaining } : {}),
    },
    chunks: count(
      db,
      `SELECT (SELECT count(*) FROM chunks) -
              (SELECT coalesce(sum(chunk_count), 0) FROM contents WHERE document_id IS NULL) AS n`,
    ),
    tags: tags.total,
    top_tags: tags.top,
    trash: { documents: countTrash(db) },
    sources: { total: count(db, "SELECT count(*) AS n FROM sources") },
    queue: {
      queued: jobs("queued"),
      processing: jobs("processing"),
      done: jobs("done"),
      failed: jobs("failed"),
    },
    storage: {
      database_bytes: databaseBytes(db),
      spool_bytes: count(
        db,
        `SELECT coalesce(sum(size_bytes), 0) AS n FROM jobs
          WHERE status IN ('queued', 'processing', 'failed', 'cancelled') AND spool_file IS NOT NULL`,
      ),
    },
  };
}

/** Number of documents from which the most frequent value is estimated. */
const SAMPLE_SIZE = 16;

/**
 * Counts documents by an indexed column. SQLite counts all rows of a table without reading them, which it must for those
 * with a value: so it counts those of all values but the most frequent one.
 */
function countByValue(
  db: DatabaseSync,
  column: "doc_type" | "language",
  total: number,
): Record<string, number> {
  const values = all<{ value: string | null }>(
    db,
    // Finds each value by the index.
    `WITH RECURSIVE vals (value) AS (
       SELECT min(${column}) FROM documents
       UNION ALL
       SELECT (SELECT min(${column}) FROM documents WHERE ${column} > value) FROM vals WHERE value IS NOT NULL)
     SELECT value FROM vals
      WHERE value IS NOT NULL OR EXISTS (SELECT 1 FROM documents WHERE ${column} IS NULL)`,
  ).map(({ value }) => value);
  const frequent = mostFrequent(db, column);
  const counts = new Map<string, number>();
  let rest = total;
  for (const value of values) {
    if (value === frequent) continue;
    const n = count(db, `SELECT count(*) AS n FROM documents WHERE ${column} IS ?`, value);
    counts.set(value ?? "und", n);
    rest -= n;
  }
  if (rest > 0) counts.set(frequent ?? "und", rest);
  return Object.fromEntries([...counts].toSorted(([a], [b]) => a < b ? -1 : 1));
}

function mostFrequent(db: DatabaseSync, column: string): string | null {
  const last = count(db, "SELECT max(id) AS n FROM documents");
  const counts = new Map<string | null, number>();
  for (let i = 1; i <= SAMPLE_SIZE; i++) {
    const id = Math.ceil(i * last / SAMPLE_SIZE);
    const row = first<{ value: string | null }>(
      db,
      `SELECT ${column} AS value FROM documents WHERE id <= ? ORDER BY id DESC LIMIT 1`,
      id,
    );
    if (row) counts.set(row.value, (counts.get(row.value) ?? 0) + 1);
  }
  let frequent: string | null = null;
  for (const [value, n] of counts) if (n > (counts.get(frequent) ?? 0)) frequent = value;
  return frequent;
}

/** Counts the documents of all tags in one pass. */
function readTags(db: DatabaseSync) {
  const tags = all<{ name: string; n: number; is_collection: number }>(
    db,
    `SELECT t.name, coalesce(used.n, 0) AS n, ${IS_COLLECTION} AS is_collection
       FROM tags t LEFT JOIN (SELECT tag_id, count(*) AS n FROM document_tags GROUP BY tag_id) used
            ON used.tag_id = t.id
      ORDER BY t.name`,
  );
  const collections = tags
    .filter(({ name }) => name.startsWith(COLLECTION_PREFIX))
    .map(({ name, n }) => [name.slice(COLLECTION_PREFIX.length), n]);
  const top = tags.filter(({ n, is_collection }) => n > 0 && !is_collection)
    .toSorted((a, b) => b.n - a.n || (a.name < b.name ? -1 : 1))
    .slice(0, MAX_TOP_TAGS)
    .map(({ name, n }) => ({ tag: name, count: n }));
  // Safe for a collection named `__proto__`.
  return { total: tags.length, top, collections: Object.fromEntries(collections) as Record<string, number> };
}

/** Returns the size of the database and its log on disk. */
function databaseBytes(db: DatabaseSync): number {
  const file = first<{ file: string }>(db, "SELECT file FROM pragma_database_list WHERE name = 'main'")?.file;
  return file ? fileBytes(file) + fileBytes(`${file}-wal`) : 0;
}

function fileBytes(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0; // the first write creates the log
    throw error;
  }
}

/** Returns the number of deleted documents that can be restored. */
export function countTrash(db: DatabaseSync): number {
  return count(db, "SELECT count(*) AS n FROM trash");
}
