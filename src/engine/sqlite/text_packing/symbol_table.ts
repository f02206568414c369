import { crc32 } from "node:zlib";
import { MAX_SYMBOL_BYTES, MAX_SYMBOLS } from "./format.ts";

/**
 * Symbols by code. The bytes of a symbol are the characters of a string, U+0000 to U+00FF; the empty string is a symbol
 * that was lost.
 */
export type Symbols = readonly string[];

/** Symbols that texts are packed with. */
export interface SymbolTable {
  /** Checksum of all symbols, on which the checksums of packed texts depend. */
  readonly id: number;
  readonly symbols: Symbols;
}

/** Some symbols as they are stored. Each row has a checksum of its own, so that others can be read without it. */
export interface SymbolRow {
  /** Position from 1. */
  readonly id: number;
  /** {@linkcode SymbolTable.id} */
  readonly table_id: number;
  /** Number of rows of the table. */
  readonly row_count: number;
  /** Number of symbols of the table. */
  readonly symbol_count: number;
  /** Code of the first symbol. */
  readonly first_code: number;
  /** The last chunk when the symbols were learned. */
  readonly last_chunk: number;
  /** CRC-32 of the other columns. */
  readonly checksum: number;
  /** The length and the bytes of each symbol, then zeros. */
  readonly symbols: Uint8Array;
}

/** Size of the symbols of a row: each row has a page of the database for itself, of which SQLite uses more than half. */
const ROW_BYTES = 3000;

/** Maximum number of rows of a table. */
export const MAX_ROWS = Math.ceil(MAX_SYMBOLS / Math.floor(ROW_BYTES / (MAX_SYMBOL_BYTES + 1)));

/** Symbols that were read from one or both copies of a table. */
export interface JoinedSymbols {
  readonly table: SymbolTable;
  /** The last chunk when the symbols were learned. */
  readonly lastChunk: number;
  /** Whether no symbol is lost. */
  readonly isComplete: boolean;
}

/** Returns the table of some symbols. */
export function symbolTable(symbols: Symbols): SymbolTable {
  return { id: crc32(Uint8Array.from(symbols.flatMap(encodeSymbol))), symbols };
}

/** Returns the stored form of a table. */
export function encodeSymbols({ id: tableId, symbols }: SymbolTable, lastChunk: number): SymbolRow[] {
  const slices: { readonly firstCode: number; readonly bytes: number[] }[] = [];
  for (const [code, symbol] of symbols.entries()) {
    const bytes = encodeSymbol(symbol);
    const last = slices.at(-1);
    if (last && last.bytes.length + bytes.length <= ROW_BYTES) last.bytes.push(...bytes);
    else slices.push({ firstCode: code, bytes });
  }
  return slices.map(({ firstCode, bytes }, index) => {
    const padded = new Uint8Array(ROW_BYTES);
    padded.set(bytes);
    const row = {
      id: index + 1,
      table_id: tableId,
      row_count: slices.length,
      symbol_count: symbols.length,
      first_code: firstCode,
      last_chunk: lastChunk,
      symbols: padded,
    };
    return { ...row, checksum: checksumOf(row) };
  });
}

/** Whether a row is as it was written. Its values may be anything. */
export function isIntactRow(row: SymbolRow): boolean {
  return row.symbols instanceof Uint8Array && row.symbols.length === ROW_BYTES &&
    row.checksum === checksumOf(row);
}

/**
 * Joins the intact rows of all copies of a table. A database has one table only.
 *
 * @returns Undefined if no row is intact.
 */
export function joinSymbols(rows: Iterable<SymbolRow>): JoinedSymbols | undefined {
  let first: SymbolRow | undefined;
  let symbols: string[] = [];
  for (const row of rows) {
    if (!isIntactRow(row)) continue;
    if (!first) {
      first = row;
      symbols = Array.from({ length: Math.min(row.symbol_count, MAX_SYMBOLS) }, () => "");
    }
    if (row.table_id !== first.table_id) continue;
    for (const [index, symbol] of decodeRow(row.symbols).entries()) {
      if (row.first_code + index < symbols.length) symbols[row.first_code + index] = symbol;
    }
  }
  if (!first) return undefined;
  return {
    table: { id: first.table_id, symbols },
    lastChunk: first.last_chunk,
    isComplete: symbols.every((symbol) => symbol !== ""),
  };
}

function encodeSymbol(symbol: string): number[] {
  return [symbol.length, ...Array.from(symbol, (byte) => byte.charCodeAt(0))];
}

function decodeRow(bytes: Uint8Array): string[] {
  const symbols: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = bytes[at] ?? 0;
    if (length === 0 || length > MAX_SYMBOL_BYTES || at + 1 + length > bytes.length) break;
    symbols.push(String.fromCharCode(...bytes.subarray(at + 1, at + 1 + length)));
    at += 1 + length;
  }
  return symbols;
}

function checksumOf(row: Omit<SymbolRow, "checksum">): number {
  const { id, table_id, row_count, symbol_count, first_code, last_chunk } = row;
  const numbers = [id, table_id, row_count, symbol_count, first_code, last_chunk].join();
  return crc32(row.symbols, crc32(numbers));
}
