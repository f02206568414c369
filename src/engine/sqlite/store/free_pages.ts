import type { DatabaseSync } from "node:sqlite";
import { count } from "./sql.ts";

/** Number of pages that one step gives back: about 1 MiB, in some milliseconds. */
const STEP_PAGES = 256;

/** Part of the file that stays free: the index needs free pages again at its next merge. */
const KEPT_SHARE = 0.1;

/**
 * Prepares an empty database for {@linkcode freePagesStep}. Without effect on one with tables, which needs
 * `kb-mcp vacuum`.
 */
export function enableFreePages(db: DatabaseSync): void {
  db.exec("PRAGMA auto_vacuum = INCREMENTAL");
}

/**
 * Gives pages that deleted rows have left back to the file system, in a transaction of its own.
 *
 * @returns Whether more steps are needed.
 */
export function freePagesStep(db: DatabaseSync): boolean {
  if (!hasFreePages(db)) return false;
  db.exec(`PRAGMA incremental_vacuum(${STEP_PAGES})`);
  return hasFreePages(db);
}

function hasFreePages(db: DatabaseSync): boolean {
  const free = count(db, "SELECT freelist_count AS n FROM pragma_freelist_count");
  if (free < STEP_PAGES || free < KEPT_SHARE * count(db, "SELECT page_count AS n FROM pragma_page_count")) {
    return false;
  }
  return count(db, "SELECT auto_vacuum AS n FROM pragma_auto_vacuum") === 2;
}
