/**
 * Packs texts with symbols that many of them have in common, and unpacks them in WebAssembly (D31).
 *
 * @module
 */
export { FORMAT, MAX_TEXT_BYTES } from "./format.ts";
export { learnSymbols, type SampleText } from "./learn_symbols.ts";
export {
  encodeSymbols,
  isIntactRow,
  type JoinedSymbols,
  joinSymbols,
  MAX_ROWS,
  type SymbolRow,
  type Symbols,
  type SymbolTable,
} from "./symbol_table.ts";
export { TextPacker } from "./text_packer.ts";
export { TextUnpacker } from "./text_unpacker.ts";
