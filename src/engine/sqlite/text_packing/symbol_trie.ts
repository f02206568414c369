import { SHORT_CODES } from "./format.ts";
import type { Symbols } from "./symbol_table.ts";

/** Base of the empty prefix. */
const ROOT_BASE = 1;
/** Number of values of a byte. */
const BYTE_VALUES = 256;
/** Position of the size of the code among the bits of an edge, and that of the base. */
const SIZE_SHIFT = 9;
const BASE_SHIFT = 11;

/**
 * A trie of symbols as a double array (Aoe, An Efficient Digital Search Algorithm by Using a Double-Array Structure, IEEE
 * Transactions on Software Engineering, 1989). Each prefix has a base, that of the empty one is 1. The edge from a prefix
 * to the one that is longer by a byte is at its base plus that byte. No two prefixes with edges have the same base, so
 * that an edge for this byte is that of this prefix.
 */
export interface SymbolTrie {
  /** The byte plus 1 (9 bits), the size of the code of the longer prefix (2 bits; 0: it is no symbol), and its base. */
  readonly edges: Uint32Array;
  /** The bytes of that code, the first one lowest. */
  readonly codes: Uint16Array;
}

/** A prefix of symbols. */
interface Prefix {
  /** The code, if it is a symbol itself. */
  code?: number;
  base: number;
  /** The prefixes that are longer by a byte. */
  readonly longer: { readonly byte: number; readonly prefix: Prefix }[];
}

/** Returns the trie of some symbols. */
export function symbolTrie(symbols: Symbols): SymbolTrie {
  const sorted = symbols.map((symbol, code) => ({ symbol, code }))
    .sort((a, b) => Number(a.symbol > b.symbol) - Number(a.symbol < b.symbol));
  const prefixes: Prefix[] = [];
  addPrefix(prefixes, sorted, 0);
  const positions = layOut(prefixes);
  const edges = new Uint32Array(positions + BYTE_VALUES);
  const codes = new Uint16Array(positions);
  for (const { base, longer } of prefixes) {
    for (const { byte, prefix: { code, base: next } } of longer) {
      const size = code === undefined ? 0 : code < SHORT_CODES ? 1 : 2;
      edges[base + byte] = byte + 1 | size << SIZE_SHIFT | next << BASE_SHIFT;
      if (code !== undefined) codes[base + byte] = encodedCode(code);
    }
  }
  return { edges, codes };
}

/** Adds the prefix of a length that some sorted symbols have in common, and all longer ones. */
function addPrefix(
  prefixes: Prefix[],
  sorted: readonly { readonly symbol: string; readonly code: number }[],
  length: number,
): Prefix {
  const prefix: Prefix = { base: 0, longer: [] };
  prefixes.push(prefix);
  for (let from = 0; from < sorted.length;) {
    const { symbol = "", code = 0 } = sorted[from] ?? {};
    let end = from + 1;
    if (symbol.length === length) {
      prefix.code = code;
    } else {
      const byte = symbol.charCodeAt(length);
      while (sorted[end]?.symbol.charCodeAt(length) === byte) end++;
      prefix.longer.push({ byte, prefix: addPrefix(prefixes, sorted.slice(from, end), length + 1) });
    }
    from = end;
  }
  return prefix;
}

/**
 * Gives each prefix a base where its edges fit between those of others. Those with most edges, which are read most, come
 * first, and those with one fill what is left free.
 *
 * @returns Number of positions.
 */
function layOut([root, ...others]: readonly Prefix[]): number {
  const positions = new Positions();
  /** Where to look on for a place: for prefixes with more than one edge, and for those with one edge by its byte. */
  let from = ROOT_BASE;
  const fromOf: number[] = [];
  others.sort((a, b) => b.longer.length - a.longer.length);
  for (const prefix of root ? [root, ...others] : []) {
    const [first, ...rest] = prefix.longer.map(({ byte }) => byte);
    if (first === undefined) {
      // No edge follows.
      prefix.base = positions.size;
    } else if (rest.length > 0) {
      prefix.base = from = positions.take(first, rest, from);
    } else {
      prefix.base = fromOf[first] = positions.take(first, rest, fromOf[first] ?? ROOT_BASE);
    }
  }
  return positions.size;
}

/** Positions of edges. */
class Positions {
  /** For each position itself, or a later one up to which none is free. */
  readonly #free: number[] = [ROOT_BASE];
  readonly #isBase: boolean[] = [false];

  /** Number of positions up to the last one that is taken or was asked for. */
  get size(): number {
    return this.#free.length;
  }

  /** Returns the first base from one on at which the positions of some bytes are free, and takes them. */
  take(first: number, others: readonly number[], from: number): number {
    for (let at = this.#firstFree(from + first);; at = this.#firstFree(at + 1)) {
      const base = at - first;
      if (this.#isBase[base] || !others.every((byte) => this.#isFree(base + byte))) continue;
      this.#isBase[base] = true;
      for (const byte of [first, ...others]) this.#free[base + byte] = base + byte + 1;
      return base;
    }
  }

  #firstFree(from: number): number {
    let at = from;
    while (!this.#isFree(at)) at = this.#free[at] ?? at;
    // Shortens the way for the next time.
    for (let to = from; to < at;) {
      const next = this.#free[to] ?? at;
      this.#free[to] = at;
      to = next;
    }
    return at;
  }

  #isFree(at: number): boolean {
    while (this.#free.length <= at) {
      this.#isBase.push(false);
      this.#free.push(this.#free.length);
    }
    return this.#free[at] === at;
  }
}

/** Returns the bytes of a code as a number, the first one lowest. */
function encodedCode(code: number): number {
  if (code < SHORT_CODES) return code;
  const long = code - SHORT_CODES;
  return SHORT_CODES + (long >> 8) | (long & 0xff) << 8;
}
