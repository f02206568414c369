import { join } from "node:path";
import type { DataDir } from "./data_dir.ts";

/** Commands that write a new database next to that of a stopped server, and then replace it. */
const COMMANDS = ["vacuumed", "repaired", "restored"] as const;

/**
 * Returns the path of the new database while a command writes it. A start removes it unseen, so it is no name that an
 * operator would give to a backup or to a database that was repaired by hand.
 */
export function newDatabase(dir: DataDir, command: typeof COMMANDS[number]): string {
  return join(dir.path, `kb.${command}.db.new`);
}

/** Removes the new databases of commands that were stopped, as large as the database itself. Requires the directory's lock. */
export function removeNewDatabases(dir: DataDir): void {
  for (const command of COMMANDS) {
    try {
      removeDatabase(newDatabase(dir, command));
    } catch {
      // Another user's file: the command fails, too.
    }
  }
}

/** Removes a database with its log; with `logOnly`, only the log. */
export function removeDatabase(path: string, { logOnly = false }: { logOnly?: boolean } = {}): void {
  const files = databaseFiles(path);
  for (const file of logOnly ? files.slice(1) : files) removeFile(file);
}

/** Returns the files that SQLite may have for a database: itself first, then its log and journal. */
export function databaseFiles(path: string): readonly string[] {
  return ["", "-wal", "-shm", "-journal"].map((suffix) => path + suffix);
}

/** Removes a file if it exists. */
export function removeFile(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
