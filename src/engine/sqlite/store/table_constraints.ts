import type { DatabaseSync } from "node:sqlite";
import { run } from "./sql.ts";

/** Removes the CHECK constraints of `jobs`, which list its first states and outcomes. */
export function removeJobChecks(db: DatabaseSync): void {
  removeConstraints(db, "jobs", [
    " CHECK (status IN ('queued', 'processing', 'done', 'failed'))",
    " CHECK (outcome IN ('created', 'duplicate', 'replaced'))",
  ]);
}

/** Removes the foreign key of chunks to their document, without which a text can be written before its document. */
export function dropChunkReference(db: DatabaseSync): void {
  removeConstraints(db, "chunks", [" REFERENCES documents (id) ON DELETE CASCADE"]);
}

/**
 * Removes constraints of a table without rewriting its rows: "Making Other Kinds Of Table Schema Changes" in SQLite's
 * documentation of ALTER TABLE.
 */
function removeConstraints(db: DatabaseSync, table: string, constraints: readonly string[]): void {
  const connection = db as DatabaseSync & { enableDefensive(active: boolean): void };
  // The defensive mode, which Deno turns on, protects the schema against statements of attackers.
  connection.enableDefensive(false);
  try {
    db.exec("PRAGMA writable_schema = ON");
    for (const constraint of constraints) {
      run(
        db,
        "UPDATE sqlite_schema SET sql = replace(sql, ?, '') WHERE type = 'table' AND name = ?",
        constraint,
        table,
      );
    }
    db.exec("PRAGMA writable_schema = RESET");
  } finally {
    connection.enableDefensive(true);
  }
}
