/**
 * Texts of chunks as they are stored: text, or packed with symbols of the database (D31).
 *
 * @module
 */
import type { DatabaseSync } from "node:sqlite";
import { TextPacker, TextUnpacker } from "../text_packing/mod.ts";
import { count } from "./sql.ts";
import { readSymbols, type StoredSymbols } from "./text_symbols.ts";

/** Number of chunks in which packed texts are looked for: after the first one, most new texts are packed. */
const NEWEST_CHUNKS = 4096;

/** Value of `chunks.text`. */
export type StoredText = string | Uint8Array;

/** The text of a chunk cannot be read. Like an error of SQLite for a damaged page, of which callers learn the code. */
export class DamagedTextError extends Error {
  /** Always `DamagedTextError`. */
  override name = "DamagedTextError";
  readonly code = "storage_damaged";

  constructor() {
    super("The packed text of a chunk is damaged, or its symbols are: run kb-mcp check");
  }
}

/** A row whose text is as it is stored. */
export type StoredRow<Row extends { readonly text: string }> = Omit<Row, "text"> & {
  readonly text: StoredText;
};

/** What a connection unpacks and packs texts with. Symbols never change while a database is open. */
interface Packing {
  readonly symbols: StoredSymbols;
  readonly unpacker: TextUnpacker;
  /** Created by the first text to pack. */
  packer?: TextPacker;
}

/** Packings of the connections that have needed one. */
const packings = new WeakMap<DatabaseSync, Packing>();

/** Connections that write and whose database had no symbols when they began. */
const unpacked = new WeakSet<DatabaseSync>();

/**
 * Returns the text of a chunk.
 *
 * @throws {DamagedTextError} When it cannot be read.
 */
export function textOf(db: DatabaseSync, stored: StoredText): string {
  const text = readableText(db, stored);
  if (text === undefined) throw new DamagedTextError();
  return text;
}

/** Returns the text of a chunk; undefined if it is damaged. A lack of memory is an error. */
export function readableText(db: DatabaseSync, stored: StoredText): string | undefined {
  if (typeof stored === "string") return stored;
  return packingOf(db)?.unpacker.unpack(stored);
}

/**
 * Returns the text of a chunk for the view `chunk_search`, of which nothing can be damaged that was not found before: a
 * function that throws would leave `StatementSync.all` of Deno 2.9 without an end. Null for a damaged text.
 */
export function textForView(db: DatabaseSync, stored: unknown): string | null {
  if (typeof stored === "string") return stored;
  if (!(stored instanceof Uint8Array)) return null;
  try {
    return readableText(db, stored) ?? null;
  } catch {
    return null;
  }
}

/** Whether any of the newest texts is packed. */
export function hasPackedTexts(db: DatabaseSync): boolean {
  return count(
    db,
    `SELECT EXISTS (SELECT 1 FROM (SELECT text FROM chunks ORDER BY id DESC LIMIT ${NEWEST_CHUNKS})
                     WHERE typeof(text) = 'blob') AS n`,
  ) === 1;
}

/**
 * Returns rows of a statement with their texts. Changes the rows.
 *
 * @throws {DamagedTextError} When a text cannot be read.
 */
export function withTexts<Row extends { readonly text: string }>(
  db: DatabaseSync,
  rows: readonly StoredRow<Row>[],
): Row[] {
  for (const row of rows) {
    if (typeof row.text !== "string") (row as { text: StoredText }).text = textOf(db, row.text);
  }
  return rows as unknown as Row[];
}

/**
 * Returns a text in the form in which the writing connection stores it: packed, if that is smaller and both copies of the
 * symbols are intact.
 */
export function storedText(db: DatabaseSync, text: string): StoredText {
  if (unpacked.has(db)) return text;
  const packing = packingOf(db);
  if (!packing) {
    unpacked.add(db);
    return text;
  }
  if (packing.symbols.incomplete.length > 0) return text;
  packing.packer ??= new TextPacker(packing.symbols.table);
  return packing.packer.pack(text) ?? text;
}

/** Makes a connection read the symbols again, since it has written them. */
export function forgetSymbols(db: DatabaseSync): void {
  packings.delete(db);
  unpacked.delete(db);
}

function packingOf(db: DatabaseSync): Packing | undefined {
  const known = packings.get(db);
  if (known) return known;
  const symbols = readSymbols(db);
  if (!symbols) return undefined;
  const packing = { symbols, unpacker: new TextUnpacker(symbols.table) };
  packings.set(db, packing);
  return packing;
}
