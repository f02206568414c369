import { MAX_SYMBOL_BYTES, MAX_SYMBOLS } from "./format.ts";
import { type SymbolTable, symbolTable } from "./symbol_table.ts";
import { TextPacker } from "./text_packer.ts";

/** A text to learn symbols from. */
export interface SampleText {
  /** Id of its document. */
  readonly document: number;
  readonly text: string;
}

/**
 * Number of documents that must have a symbol. A symbol stays when texts are deleted, and must not be a secret that only
 * one of them had.
 */
const MIN_DOCUMENTS = 3;
/** Number of rounds, each of which can double the length of symbols. */
const ROUNDS = 6;
/** Number of texts after which others may use the thread. */
const STEP_TEXTS = 64;
/** More than any code. */
const PAIR_BASE = 2 ** 14;
/** Size of a code in bytes: between that of short and of long ones. */
const CODE_BYTES = 1.5;
/** All bytes that occur in UTF-8, so that each text can be packed. */
const BYTES = Array.from({ length: 0xf5 }, (_, byte) => String.fromCharCode(byte))
  .filter((byte) => byte !== "\xc0" && byte !== "\xc1");
const IS_BYTE: ReadonlySet<string> = new Set(BYTES);

/** How often a pair of symbols occurs. */
interface Pair {
  count: number;
  documents: number;
  lastDocument: number;
}

/**
 * Learns symbols step by step; the longest steps take some ten milliseconds. A round packs the texts with the symbols of the one before, and
 * keeps those symbols and pairs of them that save most (FSST, VLDB 2020).
 *
 * @param texts Texts in the order of their documents.
 * @returns The symbols, those that save most by a short code first.
 */
export function* learnSymbols(texts: readonly SampleText[]): Generator<void, SymbolTable> {
  let table = symbolTable(BYTES);
  for (let round = 0; round < ROUNDS; round++) {
    const packer = new TextPacker(table);
    const counts = new Float64Array(table.symbols.length);
    const pairs = new Map<number, Pair>();
    yield;
    for (const [index, text] of texts.entries()) {
      countSymbols(text, packer, counts, pairs);
      if (index % STEP_TEXTS === STEP_TEXTS - 1) yield;
    }
    const candidates = yield* candidatesOf(table, counts, pairs);
    table = symbolTable(select(candidates));
    yield;
  }
  return table;
}

function countSymbols(
  { document, text }: SampleText,
  packer: TextPacker,
  counts: Float64Array,
  pairs: Map<number, Pair>,
): void {
  let previous: number | undefined;
  for (const code of packer.codesOf(text) ?? []) {
    counts[code] = (counts[code] ?? 0) + 1;
    if (previous !== undefined) countPair(pairs, previous * PAIR_BASE + code, document);
    previous = code;
  }
}

function countPair(pairs: Map<number, Pair>, key: number, document: number): void {
  const pair = pairs.get(key);
  if (!pair) {
    pairs.set(key, { count: 1, documents: 1, lastDocument: document });
    return;
  }
  pair.count++;
  if (pair.lastDocument === document) return;
  pair.lastDocument = document;
  pair.documents++;
}

/** Returns how often each candidate occurs. */
function* candidatesOf(
  { symbols }: SymbolTable,
  counts: Float64Array,
  pairs: ReadonlyMap<number, Pair>,
): Generator<void, Map<string, number>> {
  const candidates = new Map<string, number>();
  for (const [code, symbol] of symbols.entries()) candidates.set(symbol, counts[code] ?? 0);
  let index = 0;
  for (const [key, { count, documents }] of pairs) {
    if (++index % 16_384 === 0) yield;
    if (documents < MIN_DOCUMENTS) continue;
    const joined = (symbols[Math.floor(key / PAIR_BASE)] ?? "") + (symbols[key % PAIR_BASE] ?? "");
    if (joined.length <= MAX_SYMBOL_BYTES) candidates.set(joined, (candidates.get(joined) ?? 0) + count);
  }
  yield;
  return candidates;
}

/** Returns the candidates that save most bytes, and all bytes; the most frequent ones first. */
function select(candidates: ReadonlyMap<string, number>): string[] {
  const gain = (symbol: string, count: number) => count * (symbol.length - CODE_BYTES);
  const byGain = [...candidates]
    .filter(([symbol, count]) => count > 0 && !IS_BYTE.has(symbol))
    .sort(([a, countOfA], [b, countOfB]) => gain(b, countOfB) - gain(a, countOfA))
    .slice(0, MAX_SYMBOLS - BYTES.length);
  const bytes = BYTES.map((byte) => [byte, candidates.get(byte) ?? 0] as const);
  return [...byGain, ...bytes].sort(([, a], [, b]) => b - a).map(([symbol]) => symbol);
}
