import type { DatabaseSync } from "node:sqlite";
import { all, count, first } from "./sql.ts";
import { COLLECTION_PREFIX } from "./tags.ts";

/** What the store knows of itself, for `GET /api/v1/status`. */
export interface StoreStatus {
  /** Documents, in all and by what they are and where. */
  documents: { total: number; by_type: Record<string, number>; by_collection: Record<string, number> };
  /** Chunks of all documents. */
  chunks: number;
  /** Different tags. */
  tags: number;
  /** Jobs by status; ended ones as far as they are remembered. */
  queue: { queued: number; processing: number; done: number; failed: number };
  /** Bytes on disk. */
  storage: {
    /** Size of the database file and of its log of writes that are not yet in it. */
    database_bytes: number;
    /** Bytes of files that wait for ingestion. */
    spool_bytes: number;
  };
}

interface Counted {
  name: string;
  n: number;
}

/** Counts what is in the store. */
export function readStatus(db: DatabaseSync): StoreStatus {
  const byType = all<Counted>(
    db,
    "SELECT doc_type AS name, count(*) AS n FROM documents GROUP BY doc_type ORDER BY doc_type",
  );
  const byCollection = all<Counted>(
    db,
    // Every text that starts with the prefix lies between it and the prefix with its last character's successor.
    `SELECT substr(t.name, ?) AS name, (SELECT count(*) FROM document_tags dt WHERE dt.tag_id = t.id) AS n
       FROM tags t WHERE t.name >= ? AND t.name < ? ORDER BY t.name`,
    COLLECTION_PREFIX.length + 1,
    COLLECTION_PREFIX,
    COLLECTION_PREFIX.slice(0, -1) + ";",
  );
  const byStatus = all<Counted>(db, "SELECT status AS name, count(*) AS n FROM jobs GROUP BY status");
  const jobs = (status: string) => byStatus.find((row) => row.name === status)?.n ?? 0;
  return {
    documents: {
      total: byType.reduce((sum, row) => sum + row.n, 0),
      by_type: asRecord(byType),
      by_collection: asRecord(byCollection),
    },
    chunks: count(db, "SELECT count(*) AS n FROM chunks"),
    tags: count(db, "SELECT count(*) AS n FROM tags"),
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
          WHERE status IN ('queued', 'processing') AND spool_file IS NOT NULL`,
      ),
    },
  };
}

/** What the database takes on disk: two looks at the directory, nothing is read. */
function databaseBytes(db: DatabaseSync): number {
  const file = first<{ file: string }>(db, "SELECT file FROM pragma_database_list WHERE name = 'main'")?.file;
  return file ? fileBytes(file) + fileBytes(`${file}-wal`) : 0;
}

function fileBytes(path: string): number {
  try {
    return Deno.statSync(path).size;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0; // the log comes with the first write
    throw error;
  }
}

/** Own properties only, whatever the names: a collection may be called `__proto__`. */
function asRecord(rows: Counted[]): Record<string, number> {
  return Object.fromEntries(rows.map((row) => [row.name, row.n]));
}
