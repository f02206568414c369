import type { DatabaseSync } from "node:sqlite";
import { DataDirError } from "./data_dir.ts";
import type { Migration } from "./migrations.ts";
import { all, count, inTransaction, run } from "./sql.ts";

/**
 * Returns the migrations that a database lacks, in order. Changes nothing.
 *
 * @throws {DataDirError} When the database has an unknown migration of a newer version, or was made by
 * another program.
 */
export function pendingMigrations(db: DatabaseSync, migrations: readonly Migration[]): Migration[] {
  const objects = "SELECT count(*) AS n FROM sqlite_schema";
  if (count(db, `${objects} WHERE name = 'schema_migrations'`) === 0) {
    if (count(db, objects) === 0) return [...migrations];
    throw new DataDirError("kb.db was made by another program: set KB_DATA_DIR to an empty directory");
  }
  const applied = all<{ name: string }>(db, "SELECT name FROM schema_migrations").map((row) => row.name);
  const unknown = applied.filter((name) => !migrations.some((migration) => migration.name === name));
  if (unknown.length > 0) {
    const names = unknown.join(", ");
    throw new DataDirError(
      `kb.db has migrations of a newer kb-mcp (${names}): run that version, or restore a backup made before the upgrade`,
    );
  }
  return migrations.filter(({ name }) => !applied.includes(name));
}

/** Runs migrations, each in a transaction with its record in `schema_migrations`. */
export function migrate(db: DatabaseSync, pending: readonly Migration[], now: () => string): void {
  for (const migration of pending) {
    inTransaction(db, () => {
      db.exec(
        "CREATE TABLE IF NOT EXISTS schema_migrations (name TEXT PRIMARY KEY, applied_at TEXT NOT NULL) STRICT",
      );
      db.exec(migration.sql);
      migration.run?.(db);
      run(db, "INSERT INTO schema_migrations (name, applied_at) VALUES (?, ?)", migration.name, now());
    });
  }
}
