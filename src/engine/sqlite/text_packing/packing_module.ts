import { MAX_SYMBOL_BYTES, MAX_SYMBOLS, MAX_TEXT_BYTES } from "./format.ts";
import { WASM } from "./text_packing_wasm.ts";

/** Size of a page of WebAssembly memory. */
const WASM_PAGE_BYTES = 65_536;
/** Size of a symbol in memory. */
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
    ...args: [from: number, end: number, symbols: number, short: number, to: number, limit: number]
  ) => number;
  readonly checksum: (from: number, end: number, seed: number) => number;
  readonly pack: (
    ...args: [
      ...[from: number, end: number],
      ...[edges: number, codes: number, ways: number, to: number, limit: number],
    ]
  ) => number;
}

/** The module of text_packing.wat with its memory. */
export class PackingModule {
  /** Address of the symbols. */
  static readonly SYMBOLS = SYMBOLS;
  /** First address after the areas for symbols and texts. */
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
