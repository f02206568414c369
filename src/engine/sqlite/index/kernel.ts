import { WASM } from "./kernel_wasm.ts";

/** Results of {@linkcode Kernel.readFirst} and {@linkcode Kernel.readNext}. */
export const DOCLIST_CONTINUES = 1;
/** Result of functions that read a damaged page. */
export const DAMAGED = -1;

/** Number of ids in a block of chunks. */
export const BLOCK_CHUNKS = 4096;
/** Layout of a block of chunks, see chunks.as: 16-bit lengths and marks. */
export const BLOCK_BYTES = BLOCK_CHUNKS * (2 + 2);
/** Size of the scores of a block, see scores.as. */
export const BLOCK_SCORES_BYTES = BLOCK_CHUNKS * (8 + 4 + 8 + 1 + 2) + 2;
/** Size of a posting list to add, see scores.as. */
export const LIST_BYTES = 24;

/**
 * Functions of the WebAssembly module. All pointers are byte addresses in its memory; the sources (`*.as`) describe each
 * function.
 */
export interface Kernel {
  setBlocks(pointers: number, count: number, empty: number): void;
  findDoclist(page: number, length: number, key: number, keyLength: number): number;
  foundStart(): number;
  foundEnd(): number;
  setDirectory(
    segments: number,
    offsets: number,
    keys: number,
    pages: number,
    shortFilters: number,
    filterBytes: number,
  ): void;
  findRange(segments: number, key: number, end: number, keyLength: number, out: number): void;
  findTerm(segments: number, key: number, keyLength: number, found: number, missing: number): number;
  missingPages(): number;
  fillFilter(filter: number, page: number, length: number, states: number): void;
  fillShortFilter(filter: number, page: number, length: number, states: number): void;
  startPostings(ids: number, frequencies: number, max: number): void;
  addPosting(id: bigint, weight: number): number;
  readFirst(page: number, start: number, end: number): number;
  readNext(page: number, length: number): number;
  postingCount(): number;
  setPacking(table: number): void;
  measurePostings(ids: number, frequencies: number, count: number): number;
  packPostings(ids: number, frequencies: number, count: number, out: number): void;
  unpackIds(list: number, count: number, out: number): void;
  findIds(list: number, count: number, ids: number, n: number): number;
  setScores(norms: number, block: number): void;
  addLists(lists: number, count: number, ids: number, scores: number, weights: number): number;
  countMissing(lists: number, count: number): number;
  topScores(scores: number, count: number, max: number, out: number): number;
  countBelow(scores: number, count: number, limit: number): number;
  setMarks(marked: number): void;
  intersect(list: number, count: number, step: number): number;
  markCandidates(ids: number, count: number): void;
  candidateOf(id: bigint): number;
  forgetMarks(): void;
  startPhrase(table: number, count: number, starts: number, maxStarts: number): void;
  startWord(offset: number): void;
  readFirstPositions(page: number, start: number, end: number): number;
  readNextPositions(page: number, length: number): number;
  hasTooManyStarts(): number;
  phraseMatches(): number;
  takePhrase(count: number, ids: number, idsOut: number, weightsOut: number): number;
  startScan(page: number, length: number, term: number): number;
  scanTerms(key: number, keyLength: number, out: number, outEnd: number): number;
  takeIntersection(step: number, out: number, max: number): number;
}

let compiled: WebAssembly.Module | undefined;

/** Links the kernel, which is compiled once per thread, to a memory. */
export function linkKernel(memory: WebAssembly.Memory): Kernel {
  compiled ??= new WebAssembly.Module(Uint8Array.fromBase64(WASM));
  return new WebAssembly.Instance(compiled, { env: { memory } }).exports as unknown as Kernel;
}
