import { FORMAT, HEADER_BYTES, MAX_TEXT_BYTES, SHORT_CODES } from "./format.ts";
import { PackingModule } from "./packing_module.ts";
import type { Symbols, SymbolTable } from "./symbol_table.ts";
import { TextUnpacker } from "./text_unpacker.ts";

/** Size of an entry of the hash table: a key and the longer prefix. */
const EDGE_BYTES = 8;
/** Mark of a prefix that is no symbol. */
const NO_CODE = 0xffff;
/** Multiplier and shift of the hash function in text_packing.wat. */
const HASH_FACTOR = 0x9e3779b1;
const HASH_SHIFT = 12;

/** Packs texts. */
export class TextPacker {
  readonly #encoder = new TextEncoder();
  readonly #unpacker: TextUnpacker;
  readonly #module: PackingModule;
  readonly #mask: number;
  readonly #codes: number;

  constructor(table: SymbolTable) {
    const { edges, codes } = prefixesOf(table.symbols);
    let entries = 1024;
    while (entries < 2 * edges.length) entries *= 2;
    this.#mask = entries - 1;
    this.#codes = PackingModule.END + entries * EDGE_BYTES;
    this.#module = new PackingModule(entries * EDGE_BYTES + 2 * codes.length);
    this.#unpacker = new TextUnpacker(table, this.#module);
    const view = new DataView(this.#module.bytes.buffer);
    for (const [prefix, code] of codes.entries()) view.setUint16(this.#codes + 2 * prefix, code, true);
    for (const { key, longer } of edges) {
      let slot = Math.imul(key, HASH_FACTOR) >>> HASH_SHIFT & this.#mask;
      const addressOf = (at: number) => PackingModule.END + EDGE_BYTES * at;
      while (view.getUint32(addressOf(slot), true) !== 0) slot = slot + 1 & this.#mask;
      view.setUint32(addressOf(slot), key, true);
      view.setUint32(addressOf(slot) + 4, longer, true);
    }
  }

  /**
   * Packs a text, and unpacks the result again to be sure of it.
   *
   * @returns Undefined if the packed text would not be smaller, or the text is too long.
   */
  pack(text: string): Uint8Array<ArrayBuffer> | undefined {
    const end = this.#write(text);
    if (end === undefined) return undefined;
    // Leaves out the header, which counts for the size.
    const codes = this.#pack(end, end - PackingModule.TEXT - HEADER_BYTES - 1);
    if (!codes) return undefined;
    const packed = new Uint8Array(HEADER_BYTES + codes.length);
    packed[0] = FORMAT;
    new DataView(packed.buffer).setUint32(1, this.#unpacker.checksum(end), true);
    packed.set(codes, HEADER_BYTES);
    return this.#unpacker.unpack(packed) === text ? packed : undefined;
  }

  /** Returns the codes of the symbols of a text; undefined if the text is too long. */
  codesOf(text: string): number[] | undefined {
    const end = this.#write(text);
    const bytes = end === undefined ? undefined : this.#pack(end, MAX_TEXT_BYTES);
    if (!bytes) return undefined;
    const codes: number[] = [];
    for (let at = 0; at < bytes.length; at++) {
      const first = bytes[at] ?? 0;
      codes.push(
        first < SHORT_CODES ? first : SHORT_CODES + (first - SHORT_CODES) * 256 + (bytes[++at] ?? 0),
      );
    }
    return codes;
  }

  /** Writes a text to the memory of the module. Returns its end; undefined if it is too long. */
  #write(text: string): number | undefined {
    const { TEXT } = PackingModule;
    const area = this.#module.bytes.subarray(TEXT, TEXT + MAX_TEXT_BYTES);
    const { read, written } = this.#encoder.encodeInto(text, area);
    return read === text.length && written > 0 ? TEXT + written : undefined;
  }

  /** Packs the text in memory. Returns a view of the codes; undefined if there are more bytes than `maxBytes`. */
  #pack(end: number, maxBytes: number): Uint8Array | undefined {
    const { CODES, TEXT, END } = PackingModule;
    if (maxBytes <= 0) return undefined;
    const { exports } = this.#module;
    const limit = CODES + maxBytes;
    const to = exports.pack(TEXT, end, SHORT_CODES, END, this.#mask, this.#codes, CODES, limit);
    return to === 0 ? undefined : this.#module.bytes.subarray(CODES, to);
  }
}

interface Edge {
  readonly key: number;
  /** Number of the longer prefix. */
  readonly longer: number;
}

/** Returns the prefixes of all symbols: how each continues, and the code of each. Prefix 0 is empty. */
function prefixesOf(
  symbols: Symbols,
): { readonly edges: readonly Edge[]; readonly codes: readonly number[] } {
  const longerOf = new Map<number, number>();
  const codes = [NO_CODE];
  for (const [code, symbol] of symbols.entries()) {
    let prefix = 0;
    for (let at = 0; at < symbol.length; at++) {
      const key = (prefix << 8 | symbol.charCodeAt(at)) + 1;
      let longer = longerOf.get(key);
      if (longer === undefined) {
        longer = codes.length;
        longerOf.set(key, longer);
        codes.push(NO_CODE);
      }
      prefix = longer;
    }
    if (prefix !== 0) codes[prefix] = code;
  }
  return { edges: Array.from(longerOf, ([key, longer]) => ({ key, longer })), codes };
}
