import type { DatabaseSync } from "node:sqlite";
import { first, hasTable, run } from "./sql.ts";

/** Returns the Unicode version of this runtime. */
export function unicodeVersion(): string {
  // deno-lint-ignore no-process-global -- an import of node:process takes a tenth of the start of the writer thread
  return process.versions.unicode ?? "";
}

/** Records that the text of the full-text index was normalized by this runtime. */
export function recordUnicodeVersion(db: DatabaseSync): void {
  run(db, "DELETE FROM search_text_unicode");
  run(db, "INSERT INTO search_text_unicode (version) VALUES (?)", unicodeVersion());
}

/** Returns the Unicode version with which the text of the full-text index was normalized; undefined if unknown. */
export function recordedUnicodeVersion(db: DatabaseSync): string | undefined {
  if (!hasTable(db, "search_text_unicode")) return undefined;
  return first<{ version: string }>(db, "SELECT version FROM search_text_unicode")?.version;
}
