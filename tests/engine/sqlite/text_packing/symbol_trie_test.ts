import { assert, assertEquals } from "@std/assert";
import { SHORT_CODES } from "../../../../src/engine/sqlite/text_packing/format.ts";
import { type SymbolTrie, symbolTrie } from "../../../../src/engine/sqlite/text_packing/symbol_trie.ts";
import { seededRandom } from "../../../support/random.ts";
import { prose, proseSymbols } from "./prose.ts";

/** Reads a trie as text_packing.wat does. Returns the bytes of the code; undefined if it is no symbol. */
function codeOf({ edges, codes }: SymbolTrie, symbol: string): number[] | undefined {
  let base = 1;
  let at = 0;
  let size = 0;
  for (const char of symbol) {
    const byte = char.charCodeAt(0);
    at = base + byte;
    const edge = edges[at];
    assert(edge !== undefined, "outside of the trie");
    if ((edge & 0x1ff) !== byte + 1) return undefined;
    size = edge >> 9 & 3;
    base = edge >> 11;
  }
  const bytes = [(codes[at] ?? 0) & 0xff, (codes[at] ?? 0) >> 8];
  return size === 0 ? undefined : bytes.slice(0, size);
}

function encoded(code: number): number[] {
  const long = code - SHORT_CODES;
  return long < 0 ? [code] : [SHORT_CODES + (long >> 8), long & 0xff];
}

Deno.test("a trie has the code of each symbol, and of nothing else", () => {
  const random = seededRandom(1);
  const { symbols } = proseSymbols();
  const trie = symbolTrie(symbols);
  for (const [code, symbol] of symbols.entries()) assertEquals(codeOf(trie, symbol), encoded(code), symbol);
  const known = new Set(symbols);
  for (let n = 0; n < 20_000; n++) {
    const text = n % 2 === 0
      ? prose(random, 2).slice(0, 1 + random.int(15))
      : String.fromCharCode(...Array.from({ length: 1 + random.int(3) }, () => random.int(256)));
    assertEquals(codeOf(trie, text) !== undefined, known.has(text), JSON.stringify(text));
  }
});

Deno.test("a trie of any symbols can be read for each byte", () => {
  for (const symbols of [[], ["a"], ["\0"], ["\xff"], ["", "ab", ""], ["\0\xff", "\xff\0", "\xff\xff\xff"]]) {
    const trie = symbolTrie(symbols);
    for (const [code, symbol] of symbols.entries()) {
      if (symbol !== "") assertEquals(codeOf(trie, symbol), encoded(code));
      for (let byte = 0; byte < 256; byte++) {
        const text = symbol + String.fromCharCode(byte);
        if (!symbols.includes(text)) assertEquals(codeOf(trie, text), undefined);
      }
    }
  }
});

Deno.test("a trie has hardly a free position", () => {
  const { symbols } = proseSymbols();
  const prefixes = new Set(symbols.flatMap((symbol) => [...symbol].map((_, at) => symbol.slice(0, at + 1))));
  const { codes } = symbolTrie(symbols);
  assert(codes.length < 1.1 * prefixes.size, `${codes.length} for ${prefixes.size} prefixes`);
});
