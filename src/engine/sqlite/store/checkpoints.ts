import type { DatabaseSync } from "node:sqlite";
import { count, first } from "./sql.ts";

/** Sizes of the write-ahead log at which a commit writes it to the database, in pages of 4 KiB. */
const MIN_LOG_PAGES = 256;
const MAX_LOG_PAGES = 4096;

/** Part of the database that its log may reach until the writer is idle, which truncates it. */
const LOG_SHARE = 0.75;

/**
 * Adapts the interval of checkpoints to the size of the database, which grows. A log of 16 MiB saves syncs of a large
 * database, and would be many times the size of a small one.
 */
export function adaptCheckpoints(db: DatabaseSync): void {
  const share = LOG_SHARE * count(db, "SELECT page_count AS n FROM pragma_page_count");
  // In powers of two, so that it is rarely set.
  const wanted = Math.min(MAX_LOG_PAGES, Math.max(MIN_LOG_PAGES, 2 ** Math.floor(Math.log2(share))));
  const current = first<{ wal_autocheckpoint: number }>(db, "PRAGMA wal_autocheckpoint");
  if (current?.wal_autocheckpoint !== wanted) db.exec(`PRAGMA wal_autocheckpoint = ${wanted}`);
}
