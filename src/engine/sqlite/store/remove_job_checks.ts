import type { DatabaseSync } from "node:sqlite";

/**
 * Removes the CHECK constraints of `jobs`, which list its first states and outcomes, without rewriting its rows: "Making
 * Other Kinds Of Table Schema Changes" in SQLite's documentation of ALTER TABLE.
 */
export function removeJobChecks(db: DatabaseSync): void {
  const connection = db as DatabaseSync & { enableDefensive(active: boolean): void };
  // The defensive mode, which Deno turns on, protects the schema against statements of attackers.
  connection.enableDefensive(false);
  try {
    db.exec(`
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema
         SET sql = replace(replace(sql, ' CHECK (status IN (''queued'', ''processing'', ''done'', ''failed''))', ''),
                           ' CHECK (outcome IN (''created'', ''duplicate'', ''replaced''))', '')
       WHERE type = 'table' AND name = 'jobs';
      PRAGMA writable_schema = RESET;
    `);
  } finally {
    connection.enableDefensive(true);
  }
}
