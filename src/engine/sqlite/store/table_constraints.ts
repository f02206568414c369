import type { DatabaseSync } from "node:sqlite";
import { count, run } from "./sql.ts";

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

/** Makes the texts of chunks a column that also takes packed texts, which are blobs. */
export function allowPackedTexts(db: DatabaseSync): void {
  changeSchema(db, "chunks", [["text           TEXT NOT NULL,", "text           ANY NOT NULL,"]]);
  const texts = count(
    db,
    "SELECT count(*) AS n FROM pragma_table_info('chunks') WHERE name = 'text' AND type = 'ANY'",
  );
  if (texts !== 1) throw new Error("Cannot change the column chunks.text: the schema is not that of kb-mcp");
}

function removeConstraints(db: DatabaseSync, table: string, constraints: readonly string[]): void {
  changeSchema(db, table, constraints.map((constraint) => [constraint, ""]));
}

/**
 * Replaces parts of the definition of a table without rewriting its rows: "Making Other Kinds Of Table Schema Changes" in
 * SQLite's documentation of ALTER TABLE.
 */
function changeSchema(
  db: DatabaseSync,
  table: string,
  changes: readonly (readonly [from: string, to: string])[],
): void {
  const connection = db as DatabaseSync & { enableDefensive(active: boolean): void };
  // The defensive mode, which Deno turns on, protects the schema against statements of attackers.
  connection.enableDefensive(false);
  try {
    db.exec("PRAGMA writable_schema = ON");
    for (const [from, to] of changes) {
      run(
        db,
        "UPDATE sqlite_schema SET sql = replace(sql, ?, ?) WHERE type = 'table' AND name = ?",
        from,
        to,
        table,
      );
    }
    db.exec("PRAGMA writable_schema = RESET");
  } finally {
    connection.enableDefensive(true);
  }
}
