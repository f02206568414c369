import { DatabaseSync } from "node:sqlite";
import { basename, join } from "node:path";
import { checkDatabase, CommitMarker, type DataDir, fileSize, removeDatabase } from "../store/mod.ts";
import { syncDirectory, syncFile } from "./files.ts";

/** Options of {@linkcode replaceDatabase}. */
export interface ReplaceOptions {
  /** Number of the last commit of the new database. */
  readonly commit: number;
  /** Suffix of the names that the former files get. Default: they are removed. */
  readonly keepAs?: string;
}

/**
 * Puts a complete database in the place of the one in a locked data directory. Returns the new names of the former
 * files.
 *
 * A process that ends at any moment leaves the old or the new database: one rename replaces it. Before, the log of the
 * old one is written to it, since a database must never meet the log of another one, and the number of acknowledged
 * commits is unset, since it need not be right for both.
 */
export function replaceDatabase(dir: DataDir, path: string, { commit, keepAs }: ReplaceOptions): string[] {
  syncFile(path);
  const wasIntact = isUndamaged(dir);
  using marker = CommitMarker.open(dir.marker);
  marker.write({ commit: 0, closed: undefined });
  const kept = keepAs === undefined ? [] : keepQueuedFiles(dir, keepAs);
  const isIntact = wasIntact && writeLog(dir);
  if (keepAs !== undefined) kept.push(...keepDatabase(dir, keepAs, isIntact));
  if (!isIntact) removeDatabase(dir.database, { logOnly: true });
  Deno.renameSync(path, dir.database);
  syncDirectory(dir.path);
  marker.write({ commit, closed: undefined });
  return kept;
}

/** Whether a server would open the database. Otherwise its log must not change it: more can be recovered from both. */
function isUndamaged(dir: DataDir): boolean {
  try {
    checkDatabase(dir);
    return true;
  } catch {
    return false;
  }
}

/** Writes the log of a database to it, and removes the log. Returns whether that worked. */
function writeLog({ database }: DataDir): boolean {
  if (fileSize(database) <= 0) return true;
  try {
    using db = new DatabaseSync(database);
    // Leaving the mode removes the log.
    const mode = db.prepare("PRAGMA journal_mode = DELETE").get()?.["journal_mode"];
    return mode === "delete";
  } catch {
    return false;
  }
}

/** Links the former files under other names. The log of a damaged database is kept with it. */
function keepDatabase({ database }: DataDir, suffix: string, isIntact: boolean): string[] {
  const files = isIntact ? [database] : [database, `${database}-wal`, `${database}-shm`];
  return files.filter((file) => fileSize(file) > 0).map((file) => {
    const name = file.replace(database, `${database}.${suffix}`);
    linkOrCopy(file, name);
    return basename(name);
  });
}

/** Links the files of queued jobs under other names: the next start removes those that no job refers to. */
function keepQueuedFiles({ spool }: DataDir, suffix: string): string[] {
  const files = [...Deno.readDirSync(spool)].filter(({ isFile }) => isFile);
  if (files.length === 0) return [];
  const folder = `${spool}.${suffix}`;
  Deno.mkdirSync(folder, { mode: 0o700 });
  for (const { name } of files) linkOrCopy(join(spool, name), join(folder, name));
  return [basename(folder)];
}

function linkOrCopy(from: string, to: string): void {
  try {
    Deno.linkSync(from, to);
  } catch {
    // Not every file system has links.
    Deno.copyFileSync(from, to);
  }
}
