import { createDatabase, dataDirAt, timestamp } from "../../src/engine/sqlite/store/mod.ts";

/** The file of an empty database, made on first use. */
let file: Uint8Array<ArrayBuffer> | undefined;

/**
 * Writes an empty database with the current schema to a data directory, which is created if necessary. Does nothing to a
 * directory with files: an engine must find them as they are.
 *
 * To run all migrations takes 50 ms of processor time and one sync each. The tests of the store, of failing disks and of
 * the program create their databases in this way nevertheless.
 */
export function writeNewDatabase(path: string): void {
  const dir = dataDirAt(path);
  Deno.mkdirSync(dir.path, { recursive: true, mode: 0o700 });
  if (!Deno.readDirSync(dir.path)[Symbol.iterator]().next().done) return;
  Deno.writeFileSync(dir.database, file ??= makeFile(), { mode: 0o600 });
}

function makeFile(): Uint8Array<ArrayBuffer> {
  const path = Deno.makeTempDirSync({ prefix: "kb-mcp-new-database-" });
  try {
    const dir = dataDirAt(path);
    createDatabase(dir, undefined, timestamp);
    return Deno.readFileSync(dir.database);
  } finally {
    Deno.removeSync(path, { recursive: true });
  }
}
