import { dataDirAt } from "../../src/engine/sqlite/store/data_dir.ts";
import {
  inTransaction,
  openForWriting,
  SYMBOL_TABLES,
  timestamp,
  writeSymbols,
} from "../../src/engine/sqlite/store/mod.ts";
import { symbolTable } from "../../src/engine/sqlite/text_packing/symbol_table.ts";

/** Parts of the texts of model.ts. */
const PARTS = ["Some words", " to be ", "chunked", " and ", "indexed. ", "has a new text"];
/** Every byte of ASCII. */
const BYTES = Array.from({ length: 128 }, (_, byte) => String.fromCharCode(byte));

/** Gives an empty store symbols, so that its texts are packed: it would learn them from a thousand. */
export function packTexts(dataDir: string): void {
  using db = openForWriting(dataDirAt(dataDir), timestamp);
  const table = symbolTable([...PARTS, ...BYTES]);
  inTransaction(db, () => SYMBOL_TABLES.forEach((name) => writeSymbols(db, name, table, 1)));
}
