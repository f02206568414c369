import type { DatabaseSync } from "node:sqlite";
import { readSymbolRows } from "../store/mod.ts";
import { joinSymbols, type SymbolRow, TextUnpacker } from "../text_packing/mod.ts";
import { carveRows } from "./carve.ts";
import type { PageFile } from "./page_file.ts";

/** Unpacks the texts of a damaged database, with all symbols that either copy of them has. */
export class TextSalvage {
  readonly #from: DatabaseSync;
  readonly #pages: PageFile;
  /** Null: there are no symbols. */
  #unpacker: TextUnpacker | null | undefined;

  constructor(from: DatabaseSync, pages: PageFile) {
    this.#from = from;
    this.#pages = pages;
  }

  /** Returns the text of a value of the column `chunks.text`; null if it cannot be read. */
  textOf(stored: unknown): string | null {
    if (typeof stored === "string") return stored;
    if (!(stored instanceof Uint8Array)) return null;
    this.#unpacker ??= this.#findSymbols();
    return this.#unpacker?.unpack(stored) ?? null;
  }

  #findSymbols(): TextUnpacker | null {
    const rows = readSymbolRows(this.#from);
    let joined = joinSymbols(rows);
    if (!joined?.isComplete) joined = joinSymbols([...rows, ...carvedRows(this.#pages)]);
    return joined ? new TextUnpacker(joined.table) : null;
  }
}

/** Yields rows of pages that the connection does not reach. Only intact ones are used. */
function* carvedRows(pages: PageFile): Generator<SymbolRow> {
  for (const { id, values } of carveRows(pages)) {
    const [, tableId, rowCount, symbolCount, firstCode, lastChunk, checksum, symbols] = values;
    if (values.length !== 8 || !(symbols instanceof Uint8Array)) continue;
    yield {
      id,
      table_id: Number(tableId),
      row_count: Number(rowCount),
      symbol_count: Number(symbolCount),
      first_code: Number(firstCode),
      last_chunk: Number(lastChunk),
      checksum: Number(checksum),
      symbols,
    };
  }
}
