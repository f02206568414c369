import {
  FORMAT,
  HEADER_BYTES,
  MAX_SYMBOL_BYTES,
  MAX_SYMBOLS,
  MAX_TEXT_BYTES,
  SHORT_CODES,
} from "./format.ts";
import type { SymbolTable } from "./symbol_table.ts";
import { WASM } from "./text_packing_wasm.ts";

/** Size of a page of WebAssembly memory. */
const WASM_PAGE_BYTES = 65_536;
/** Size of a symbol in memory: its bytes, zeros, and its length in the last byte. */
const SYMBOL_BYTES = MAX_SYMBOL_BYTES + 1;
/** Bytes that the module may write after a text. */
const SLACK_BYTES = 16;

/** Addresses in the memory of the module. */
const SYMBOLS = 0;
const CODES = SYMBOLS + MAX_SYMBOLS * SYMBOL_BYTES;
const TEXT = CODES + MAX_TEXT_BYTES + SLACK_BYTES;
const END = TEXT + MAX_TEXT_BYTES + SLACK_BYTES;

let compiled: WebAssembly.Module | undefined;

interface Exports {
  readonly unpack: (
    ...args: [
      from: number,
      end: number,
      symbols: number,
      count: number,
      short: number,
      to: number,
      limit: number,
    ]
  ) => number;
  readonly checksum: (from: number, end: number, seed: number) => number;
  readonly pack: (
    ...args: [
      ...[from: number, end: number, short: number, edges: number, mask: number],
      ...[codes: number, to: number, limit: number],
    ]
  ) => number;
}

/** The module of text_packing.wat with its memory. */
export class PackingModule {
  /** First address after the areas below. */
  static readonly END = END;
  /** Address of packed texts. */
  static readonly CODES = CODES;
  /** Address of texts. */
  static readonly TEXT = TEXT;
  readonly exports: Exports;
  readonly bytes: Uint8Array<ArrayBuffer>;

  /**
   * @param extraBytes Size of the memory after {@linkcode PackingModule.END}.
   * @throws {Error} "out of memory …", like the errors of SQLite, if there is none for the module.
   */
  constructor(extraBytes = 0) {
    try {
      compiled ??= new WebAssembly.Module(Uint8Array.fromBase64(WASM));
      const pages = Math.ceil((END + extraBytes) / WASM_PAGE_BYTES);
      const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
      const instance = new WebAssembly.Instance(compiled, { texts: { memory } });
      this.exports = instance.exports as unknown as Exports;
      this.bytes = new Uint8Array(memory.buffer as ArrayBuffer);
    } catch (cause) {
      // Nothing else can fail: the module is a part of the program.
      throw new Error("out of memory for packed texts", { cause });
    }
  }
}

/** Unpacks texts. */
export class TextUnpacker {
  /** `ignoreBOM`: a text keeps the mark that it begins with. */
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #table: SymbolTable;
  readonly module: PackingModule;

  /** @param module Module for this table only. */
  constructor(table: SymbolTable, module = new PackingModule()) {
    this.#table = table;
    this.module = module;
    for (const [code, symbol] of table.symbols.entries()) {
      const at = SYMBOLS + SYMBOL_BYTES * code;
      for (let index = 0; index < symbol.length; index++) module.bytes[at + index] = symbol.charCodeAt(index);
      module.bytes[at + MAX_SYMBOL_BYTES] = symbol.length;
    }
  }

  /** Returns a text; undefined if the packed text is damaged, has a symbol that is lost, or was packed with others. */
  unpack(packed: Uint8Array): string | undefined {
    const { exports, bytes } = this.module;
    if (packed.length <= HEADER_BYTES || packed[0] !== FORMAT || packed.length > MAX_TEXT_BYTES) {
      return undefined;
    }
    bytes.set(packed, CODES);
    const limit = TEXT + MAX_TEXT_BYTES;
    const from = CODES + HEADER_BYTES;
    const end = exports.unpack(
      ...[
        from,
        CODES + packed.length,
        SYMBOLS,
        this.#table.symbols.length,
        SHORT_CODES,
        TEXT,
        limit,
      ] as const,
    );
    if (end === 0 || this.checksum(end) !== storedChecksum(packed)) return undefined;
    return this.#decoder.decode(bytes.subarray(TEXT, end));
  }

  /** Returns the checksum of the text in memory. */
  checksum(end: number): number {
    return this.module.exports.checksum(TEXT, end, this.#table.id) >>> 0;
  }
}

function storedChecksum(packed: Uint8Array): number {
  return new DataView(packed.buffer, packed.byteOffset).getUint32(1, true);
}
