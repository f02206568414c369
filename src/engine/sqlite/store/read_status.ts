import { COLLECTION_PREFIX } from "../../../contract/mod.ts";
import { deepFreeze } from "../../../data_structures/mod.ts";
import type { DatabaseSync } from "node:sqlite";
import { documentsToAnalyze } from "./analysis.ts";
import { topTags } from "./document_groups.ts";
import { countTrash } from "./read_revisions.ts";
import { all, count, first } from "./sql.ts";

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
  #known: { version: number; readAt: number; status: StoreStatus } | undefined;

  /** @param db A connection that does not write: `data_version` changes with the commits of others. */
  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Returns the counts: the same frozen object until one changes. */
  read(): StoreStatus {
    const db = this.#db;
    const version = first<{ data_version: number }>(db, "PRAGMA data_version")?.data_version ?? 0;
    const now = performance.now();
    let known = this.#known;
    if (known?.version !== version) known = { version, readAt: now, status: deepFreeze(readStatus(db)) };
    else if (now - known.readAt >= SIZES_TTL_MS) {
      known = { ...known, readAt: now, status: withCurrentSize(known.status, db) };
    }
    this.#known = known;
    return known.status;
  }
}

function withCurrentSize(status: StoreStatus, db: DatabaseSync): StoreStatus {
  const database_bytes = databaseBytes(db);
  if (database_bytes === status.storage.database_bytes) return status;
  return deepFreeze({ ...status, storage: { ...status.storage, database_bytes } });
}

/** Reads the counts of the store. */
export function readStatus(db: DatabaseSync): StoreStatus {
  const byType = all<CountRow>(
    db,
    "SELECT doc_type AS name, count(*) AS n FROM documents GROUP BY doc_type ORDER BY doc_type",
  );
  const byCollection = all<CountRow>(
    db,
    // A range of strings with the prefix: ";" follows ":".
    `SELECT substr(t.name, ?) AS name, (SELECT count(*) FROM document_tags dt WHERE dt.tag_id = t.id) AS n
       FROM tags t WHERE t.name >= ? AND t.name < ? ORDER BY t.name`,
    COLLECTION_PREFIX.length + 1,
    COLLECTION_PREFIX,
    COLLECTION_PREFIX.slice(0, -1) + ";",
  );
  const byLanguage = all<CountRow>(
    db,
    "SELECT coalesce(language, 'und') AS name, count(*) AS n FROM documents GROUP BY language ORDER BY name",
  );
  const remaining = documentsToAnalyze(db);
  const byStatus = all<CountRow>(db, "SELECT status AS name, count(*) AS n FROM jobs GROUP BY status");
  const jobs = (status: string) => byStatus.find((row) => row.name === status)?.n ?? 0;
  return {
    documents: {
      total: byType.reduce((sum, row) => sum + row.n, 0),
      by_type: asRecord(byType),
      by_collection: asRecord(byCollection),
      by_language: asRecord(byLanguage),
      ...(remaining > 0 ? { to_analyze: remaining } : {}),
    },
    chunks: count(
      db,
      `SELECT (SELECT count(*) FROM chunks) -
              (SELECT coalesce(sum(chunk_count), 0) FROM contents WHERE document_id IS NULL) AS n`,
    ),
    tags: count(db, "SELECT count(*) AS n FROM tags"),
    top_tags: topTags(db, MAX_TOP_TAGS),
    trash: { documents: countTrash(db) },
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

/** Returns counts by name. Safe for a collection named `__proto__`. */
function asRecord(rows: CountRow[]): Record<string, number> {
  return Object.fromEntries(rows.map((row) => [row.name, row.n]));
}
