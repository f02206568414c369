import { FORMAT, HEADER_BYTES, MAX_TEXT_BYTES, SHORT_CODES } from "./format.ts";
import { PackingModule } from "./packing_module.ts";
import type { SymbolTable } from "./symbol_table.ts";
import { symbolTrie } from "./symbol_trie.ts";
import { TextUnpacker } from "./text_unpacker.ts";

/** Size of a way: how a text is packed from one of its bytes on. */
const WAY_BYTES = 8;

/** Packs texts. */
export class TextPacker {
  readonly #encoder = new TextEncoder();
  readonly #unpacker: TextUnpacker;
  readonly #module: PackingModule;
  /** Address of the codes of the trie, whose edges are before them. */
  readonly #codes: number;
  /** Address of the ways from all bytes of a text. */
  readonly #ways: number;

  constructor(table: SymbolTable) {
    const { edges, codes } = symbolTrie(table.symbols);
    this.#codes = PackingModule.END + edges.byteLength;
    this.#ways = Math.ceil((this.#codes + codes.byteLength) / WAY_BYTES) * WAY_BYTES;
    this.#module = new PackingModule(this.#ways - PackingModule.END + WAY_BYTES * (MAX_TEXT_BYTES + 1));
    this.#unpacker = new TextUnpacker(table, this.#module);
    const { buffer } = this.#module.bytes;
    new Uint32Array(buffer, PackingModule.END).set(edges);
    new Uint16Array(buffer, this.#codes).set(codes);
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
    const to = exports.pack(TEXT, end, END, this.#codes, this.#ways, CODES, limit);
    return to === 0 ? undefined : this.#module.bytes.subarray(CODES, to);
  }
}
