import type { DatabaseSync } from "node:sqlite";
import { run } from "../store/mod.ts";

/** Runs `read` on a snapshot of the database. */
export function snapshot<T>(db: DatabaseSync, read: () => T): T {
  if (db.isTransaction) return read();
  run(db, "BEGIN");
  try {
    return read();
  } finally {
    run(db, "COMMIT");
  }
}
