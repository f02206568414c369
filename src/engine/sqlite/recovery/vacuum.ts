import { DatabaseSync } from "node:sqlite";
import { toSearchText } from "../../../analysis/mod.ts";
import {
  assertCommits,
  CommitMarker,
  computedColumns,
  count,
  createDataDir,
  DataDamagedError,
  type DataDir,
  dataDirAt,
  DataDirError,
  enableFreePages,
  fileSize,
  hasTable,
  isMigrated,
  isOutOfMemory,
  isSearchTextComputed,
  lastChunkId,
  lastCommit,
  learnStoredSymbols,
  lockDataDir,
  newDatabase,
  openForReading,
  openForWriting,
  readSymbols,
  registerFunctions,
  removeDatabase,
  type SearchColumns,
  storageFault,
  type StoredText,
  SYMBOL_TABLES,
  textOf,
  timestamp,
  toSearchHeading,
  writeSymbols,
} from "../store/mod.ts";
import { type SymbolTable, TextPacker } from "../text_packing/mod.ts";
import { replaceDatabase } from "./replace_database.ts";

/** Result of {@linkcode vacuum}. */
export interface VacuumResult {
  /** Size of the database before, with its log, in bytes. */
  readonly before: number;
  /** Size of the database afterwards, in bytes. */
  readonly after: number;
}

/**
 * Rewrites the database without the space that deleted documents have left, and without the normalized text that older
 * versions stored for each chunk. Learns the symbols that texts are packed with again, and packs all texts. Migrates a
 * database of an older version first. Needs as much free space as the result.
 *
 * Copies table by table: SQLite's `VACUUM` attaches a second database, which Deno permits only to programs with every
 * permission.
 *
 * @throws {DataDamagedError} When the database is damaged. Then nothing has changed.
 * @throws {DataDirError} When the directory is in use, has no data or cannot be written.
 */
export async function vacuum(dataDir: string): Promise<VacuumResult> {
  const name = JSON.stringify(dataDir);
  if (fileSize(dataDirAt(dataDir).database) <= 0) {
    throw new DataDirError(`Cannot vacuum KB_DATA_DIR ${name}: it has no data`);
  }
  const dir = await createDataDir(dataDir);
  using _lock = lockDataDir(dir);
  using _reindexLock = lockDataDir({ ...dir, lock: dir.reindexLock });
  const before = fileSize(dir.database) + Math.max(0, fileSize(`${dir.database}-wal`));
  const copy = newDatabase(dir, "vacuumed");
  removeDatabase(copy); // of a run that was interrupted
  using cleanup = new DisposableStack();
  cleanup.defer(() => removeDatabase(copy));
  let commit: number;
  try {
    migrateOlder(dir);
    using from = new DatabaseSync(dir.database, { readOnly: true });
    assertCommits(from, dir, CommitMarker.read(dir.marker)?.commit ?? 0);
    (await Deno.open(copy, { write: true, createNew: true, mode: 0o600 })).close();
    using to = new DatabaseSync(copy, { enableForeignKeyConstraints: false });
    // The full-text index reads a view that calls them.
    for (const db of [from, to]) registerFunctions(db);
    copyDatabase(from, to);
    checkCopy(from, to);
    commit = hasTable(to, "last_commit") ? lastCommit(to) : 0;
  } catch (cause) {
    if (cause instanceof DataDirError) throw cause;
    if (storageFault(cause) === "storage_full") {
      throw new DataDirError(`Cannot vacuum KB_DATA_DIR ${name}: its disk is full`, { cause });
    }
    if (isOutOfMemory(cause)) {
      throw new DataDirError(`Cannot vacuum KB_DATA_DIR ${name}: memory is short. Free memory`, { cause });
    }
    throw new DataDamagedError(
      `Cannot vacuum KB_DATA_DIR ${name}: kb.db is damaged. Restore a backup, or run "kb-mcp repair"`,
      { cause },
    );
  }
  replaceDatabase(dir, copy, { commit });
  return { before, after: fileSize(dir.database) };
}

/** Migrates a database that lacks no acknowledged commit. Only then can the normalized texts be computed. */
function migrateOlder(dir: DataDir): void {
  if (isMigrated(dir)) return;
  {
    using db = openForReading(dir);
    assertCommits(db, dir, CommitMarker.read(dir.marker)?.commit ?? 0);
  }
  openForWriting(dir, timestamp).close();
}

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/** Copies the schema and all rows. The tables that hold a full-text index are copied like others. */
function copyDatabase(from: DatabaseSync, to: DatabaseSync): void {
  const id = count(from, "SELECT application_id AS n FROM pragma_application_id");
  enableFreePages(to);
  to.exec(`PRAGMA application_id = ${id}; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN`);
  const objects = from.prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL")
    .all() as unknown as SchemaObject[];
  const isVirtual = ({ sql }: SchemaObject) => /^CREATE VIRTUAL/i.test(sql);
  const tables = objects.filter((object) =>
    object.type === "table" && !isVirtual(object) && !isStatistics(object.name)
  );
  for (const { name, sql } of tables) {
    // Made with the first table that has AUTOINCREMENT.
    if (!name.startsWith("sqlite_")) to.exec(sql);
  }
  const symbols = hasTable(from, SYMBOL_TABLES[0]) ? learnSymbols(from) : undefined;
  const lastChunk = symbols ? lastChunkId(from) : 0;
  const packer = symbols && new TextPacker(symbols);
  for (const { name } of tables) {
    // The symbols of the new file are other ones.
    if (isSymbolTable(name)) continue;
    copyRows(from, to, name, packer);
    if (symbols && name === "chunks") writeSymbols(to, SYMBOL_TABLES[0], symbols, lastChunk);
  }
  for (const { type, sql } of objects) if (type !== "table") to.exec(sql);
  // Behind the indexes: for the root of each one, SQLite moves a page from the beginning of the file to its end.
  if (symbols) writeSymbols(to, SYMBOL_TABLES[1], symbols, lastChunk);
  // A virtual table is only an entry: creating it would create the tables that hold its index.
  // The method is missing in the types of Deno.
  (to as DatabaseSync & { enableDefensive(active: boolean): void }).enableDefensive(false);
  to.exec("PRAGMA writable_schema = ON");
  const insert = to.prepare("INSERT INTO sqlite_schema VALUES ('table', ?, ?, 0, ?)");
  for (const { name, sql } of objects.filter(isVirtual)) insert.run(name, name, sql);
  to.exec("COMMIT; PRAGMA writable_schema = RESET");
  if (objects.some(({ name }) => isStatistics(name))) to.exec("ANALYZE");
}

/** Learns symbols from all texts. Undefined if that would save nothing. */
function learnSymbols(db: DatabaseSync): SymbolTable | undefined {
  const steps = learnStoredSymbols(db);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

function isSymbolTable(table: string): boolean {
  return SYMBOL_TABLES.some((name) => name === table);
}

/** Whether a table holds the statistics of the query planner, which only `ANALYZE` can create. */
function isStatistics(table: string): boolean {
  return table.startsWith("sqlite_stat");
}

function copyRows(from: DatabaseSync, to: DatabaseSync, table: string, packer: TextPacker | undefined): void {
  const columns = from.prepare("SELECT name FROM pragma_table_info(?)").all(table).map(({ name }) => name);
  // Some rows are in sqlite_sequence already.
  if (table === "sqlite_sequence") to.exec("DELETE FROM sqlite_sequence");
  const insert = to.prepare(`INSERT INTO "${table}" VALUES (${columns.map(() => "?").join(", ")})`);
  const select = from.prepare(`SELECT * FROM "${table}"`);
  select.setReadBigInts(true);
  const isCompact = table === "chunks" && isSearchTextComputed(from);
  for (const row of select.iterate()) {
    if (table === "chunks") {
      const text = textOf(from, row["text"] as StoredText);
      if (isCompact) Object.assign(row, withoutSearchText(text, row));
      row["text"] = packer?.pack(text) ?? text;
    }
    insert.run(...Object.values(row));
  }
}

/** Returns the columns of a chunk without normalized text of an older version that can be computed. */
function withoutSearchText(text: string, row: Readonly<Record<string, unknown>>): Partial<SearchColumns> {
  const searchText = toSearchText(text);
  const isEqual = (row["search_text"] ?? text) === searchText &&
    row["search_heading"] === toSearchHeading(String(row["heading_path"]));
  return isEqual ? computedColumns(text, searchText) : {};
}

/** @throws {Error} When the copy is incomplete. */
function checkCopy(from: DatabaseSync, to: DatabaseSync): void {
  const problem = to.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
  if (problem !== "ok") throw new Error(`The copy failed its check: ${problem}`);
  if ((readSymbols(to)?.incomplete.length ?? 0) > 0) {
    throw new Error("The symbols were not written completely");
  }
  const tables = from.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  for (const { name } of tables) {
    if (isStatistics(String(name)) || isSymbolTable(String(name))) continue;
    const sql = `SELECT count(*) AS n FROM "${name}"`;
    if (count(from, sql) !== count(to, sql)) throw new Error(`The table ${name} was not copied completely`);
  }
}
