/**
 * The symbols that the texts of this database are packed with.
 *
 * Without them no packed text can be read, so that there are two copies, in tables whose rows have a page and a checksum
 * each. The second copy is written later, so that its pages are elsewhere in the file, and no text is packed before. Rows
 * are never changed or replaced: only `kb-mcp vacuum` learns symbols again, for a new file whose texts are all packed
 * with them.
 *
 * @module
 */
import type { DatabaseSync } from "node:sqlite";
import {
  encodeSymbols,
  isIntactRow,
  type JoinedSymbols,
  joinSymbols,
  MAX_ROWS,
  type SymbolRow,
  type SymbolTable,
} from "../text_packing/mod.ts";
import { count, first, hasTable, isOutOfMemory, run } from "./sql.ts";
import { storageFault } from "./storage_errors.ts";

/** The tables of both copies. */
export const SYMBOL_TABLES = ["text_symbols", "text_symbols_copy"] as const;

/** One of {@linkcode SYMBOL_TABLES}. */
export type SymbolTableName = typeof SYMBOL_TABLES[number];

/** Columns of the tables. */
const COLUMNS: readonly (keyof SymbolRow)[] = [
  ...["id", "table_id", "row_count", "symbol_count", "first_code", "last_chunk", "checksum"] as const,
  "symbols",
];

/** The symbols of a database. */
export interface StoredSymbols extends JoinedSymbols {
  /** Names of the copies that are incomplete: not written yet, or damaged. */
  readonly incomplete: readonly SymbolTableName[];
}

/**
 * Reads the symbols, and skips damaged rows.
 *
 * @returns Undefined without symbols, or if all rows are damaged.
 */
export function readSymbols(db: DatabaseSync): StoredSymbols | undefined {
  const copies = SYMBOL_TABLES.map((table) => ({ table, rows: readRows(db, table) }));
  const joined = joinSymbols(copies.flatMap(({ rows }) => rows));
  if (!joined) return undefined;
  const isComplete = (rows: readonly SymbolRow[]) =>
    rows.length > 0 && rows.length === rows[0]?.row_count &&
    rows.every(({ table_id }) => table_id === joined.table.id);
  return {
    ...joined,
    incomplete: copies.filter(({ rows }) => !isComplete(rows)).map(({ table }) => table),
  };
}

/** Returns the intact rows of both copies. */
export function readSymbolRows(db: DatabaseSync): SymbolRow[] {
  return SYMBOL_TABLES.flatMap((table) => readRows(db, table));
}

/** Whether a table of symbols has any row, which may be damaged. */
export function hasSymbolRows(db: DatabaseSync, table: SymbolTableName): boolean {
  return hasTable(db, table) && count(db, `SELECT EXISTS (SELECT 1 FROM ${table}) AS n`) === 1;
}

/**
 * Writes a copy of the symbols, in the current transaction.
 *
 * @throws {Error} When the table has rows: texts may be packed with them.
 */
export function writeSymbols(
  db: DatabaseSync,
  into: SymbolTableName,
  table: SymbolTable,
  lastChunk: number,
): void {
  if (hasSymbolRows(db, into)) throw new Error(`The table ${into} must be empty`);
  const values = COLUMNS.map(() => "?").join();
  for (const row of encodeSymbols(table, lastChunk)) {
    run(
      db,
      `INSERT INTO ${into} (${COLUMNS.join()}) VALUES (${values})`,
      ...COLUMNS.map((name) => row[name]),
    );
  }
}

/** Returns the intact rows of a copy. */
function readRows(db: DatabaseSync, table: SymbolTableName): SymbolRow[] {
  if (ignoringDamage(() => hasSymbolRows(db, table)) === false) return [];
  const rows: SymbolRow[] = [];
  // One by one: a damaged page has one row.
  for (let id = 1; id <= MAX_ROWS; id++) {
    const row = ignoringDamage(() =>
      first<SymbolRow>(db, `SELECT ${COLUMNS.join()} FROM ${table} WHERE id = ?`, id)
    );
    if (row && isIntactRow(row)) rows.push(row);
  }
  return rows;
}

/**
 * Returns undefined for damage, which a lack of memory or a failing disk is not. A damaged number can be one that
 * JavaScript cannot represent.
 */
function ignoringDamage<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const isDamage = storageFault(error) === "storage_damaged" || isUnrepresentable(error);
    if (isOutOfMemory(error) || !isDamage) throw error;
    return undefined;
  }
}

/** Whether SQLite has returned a number beyond 2^53. */
function isUnrepresentable(error: unknown): boolean {
  return error instanceof RangeError && (error as { code?: unknown }).code === "ERR_OUT_OF_RANGE";
}
