import { FORMAT, HEADER_BYTES, MAX_SYMBOL_BYTES, MAX_TEXT_BYTES, SHORT_CODES } from "./format.ts";
import { PackingModule } from "./packing_module.ts";
import type { SymbolTable } from "./symbol_table.ts";

/** Size of a symbol in memory: its bytes, zeros, and its length in the last byte. */
const SYMBOL_BYTES = MAX_SYMBOL_BYTES + 1;

/** Unpacks texts. */
export class TextUnpacker {
  /** `ignoreBOM`: a text keeps the mark that it begins with. */
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #table: SymbolTable;
  readonly #module: PackingModule;

  /** @param module Module for this table only. */
  constructor(table: SymbolTable, module = new PackingModule()) {
    this.#table = table;
    this.#module = module;
    for (const [code, symbol] of table.symbols.entries()) {
      const at = PackingModule.SYMBOLS + SYMBOL_BYTES * code;
      for (let index = 0; index < symbol.length; index++) module.bytes[at + index] = symbol.charCodeAt(index);
      module.bytes[at + MAX_SYMBOL_BYTES] = symbol.length;
    }
  }

  /** Returns a text; undefined if the packed text is damaged, has a symbol that is lost, or was packed with others. */
  unpack(packed: Uint8Array): string | undefined {
    const { exports, bytes } = this.#module;
    const { CODES, SYMBOLS, TEXT } = PackingModule;
    if (packed.length <= HEADER_BYTES || packed[0] !== FORMAT || packed.length > MAX_TEXT_BYTES) {
      return undefined;
    }
    bytes.set(packed, CODES);
    const limit = TEXT + MAX_TEXT_BYTES;
    const from = CODES + HEADER_BYTES;
    const end = exports.unpack(from, CODES + packed.length, SYMBOLS, SHORT_CODES, TEXT, limit);
    if (end === 0 || this.checksum(end) !== storedChecksum(packed)) return undefined;
    return this.#decoder.decode(bytes.subarray(TEXT, end));
  }

  /** Returns the checksum of the text in memory. */
  checksum(end: number): number {
    return this.#module.exports.checksum(PackingModule.TEXT, end, this.#table.id) >>> 0;
  }
}

function storedChecksum(packed: Uint8Array): number {
  return ((packed[1] ?? 0) | (packed[2] ?? 0) << 8 | (packed[3] ?? 0) << 16 | (packed[4] ?? 0) << 24) >>> 0;
}
