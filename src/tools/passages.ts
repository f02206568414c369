import type { Chunk, Id } from "../contract/mod.ts";
import { estimateTokens, visibleText } from "../text/mod.ts";
import { firstText, textAfter } from "./join_chunks.ts";

/** Precision of an offset within a chunk: exact to the character in chunks of up to 500,000 characters. */
const OFFSET_PRECISION = 1e6;
/** Share of the budget below which the rest is left unused, instead of filled with a part of a chunk. */
const MIN_FILL = 0.02;
/** Minimum length of a cut text in UTF-16 code units, so that reading advances with any budget. */
const MIN_CHARS = 80;
/** Estimated tokens of a passage without its text and headings: `{"index":123,"chunk_id":4567,"text":""},`. */
const PASSAGE_TOKENS = 15;

/**
 * Consecutive text of a document: chunks of one section and page, without their overlap.
 *
 * Joined without a separator, the texts of passages are the text of the document.
 */
export interface Passage {
  readonly [field: string]: unknown;
  /** Number of its first chunk, from 0. The passage ends where the next one starts. */
  readonly index: number;
  /** Id of its chunk, if it is only one. */
  readonly chunk_id?: Id;
  /** Headings above it where they change, unless the text starts with the heading. */
  readonly heading_path?: string[];
  /** Page on which it starts, where that changes. */
  readonly page_start?: number;
  readonly text: string;
}

/** Consecutive chunks of a document. */
export interface ChunkRange {
  readonly chunks: readonly Chunk[];
  /** Number of the first one in the document, from 0. */
  readonly first: number;
  /** Text of the document, for the white space that chunks do not have. */
  readonly exact?: string | undefined;
}

/** Options of {@linkcode readPassages}. */
export interface PassageOptions {
  /**
   * Number of the chunk to start with, or the `next` of a previous page. The text that overlaps with the chunk
   * before is left out, if the range has that chunk.
   */
  readonly from: number;
  /** Maximum number of chunks. @default {Infinity} */
  readonly limit?: number;
  /** Maximum number of tokens of the passages as JSON. @default {Infinity} */
  readonly maxTokens?: number;
}

/** A page of passages. */
export interface PassagePage {
  readonly passages: Passage[];
  /** Offset at which the next page starts. It has a fraction if that is within a chunk. */
  readonly next: number;
}

/** The text that a chunk adds to a page. */
interface Piece {
  readonly index: number;
  readonly chunk: Chunk;
  readonly text: string;
  /** The chunk before it on the page. */
  readonly previous: Chunk | undefined;
}

/**
 * Joins chunks to passages. A budget of tokens is filled with a part of the next chunk, cut between words.
 *
 * @example
 * ```ts
 * import { readPassages } from "./passages.ts";
 * import { assertEquals } from "@std/assert";
 * const chunks = [
 *   { chunk_id: 7, text: "One. Two.", char_start: 0, char_end: 9 },
 *   { chunk_id: 8, text: "Two. Three.", char_start: 5, char_end: 16 },
 * ];
 * assertEquals(readPassages({ chunks, first: 0 }, { from: 0 }), {
 *   passages: [{ index: 0, text: "One. Two. Three." }],
 *   next: 2,
 * });
 * ```
 */
export function readPassages(
  range: ChunkRange,
  { from, limit = Infinity, maxTokens = Infinity }: PassageOptions,
): PassagePage {
  const pieces: Piece[] = [];
  let left = maxTokens;
  let next = from;
  for (const piece of piecesFrom(range, from)) {
    if (pieces.length === limit) break;
    const tokens = maxTokens === Infinity ? 0 : tokensOfPiece(piece);
    if (tokens <= left) {
      pieces.push(piece);
      next = piece.index + 1;
      left -= tokens;
      continue;
    }
    const textTokens = left - (tokens - tokensOf(piece.text));
    if (pieces.length === 0 || textTokens > MIN_FILL * maxTokens) {
      const text = cutText(piece.text, textTokens);
      pieces.push({ ...piece, text });
      next = offsetBefore(piece, piece.text.length - text.length);
    }
    break;
  }
  return { passages: toPassages(pieces), next };
}

/**
 * Returns the number of the chunk with which a page starts that is to show a chunk with its neighbours: about half
 * of the budget is for the text before it, more if little follows.
 */
export function startAround(range: ChunkRange, index: number, maxTokens: number): number {
  const costs = [...piecesFrom(range, range.first)].map(tokensOfPiece);
  // The first chunk of a page has its whole text.
  const firstCost = (n: number) => {
    const chunk = range.chunks[n];
    return PASSAGE_TOKENS + tokensOf(chunk?.heading_path) + tokensOf(chunk?.text);
  };
  const at = index - range.first;
  const after = costs.slice(at + 1).reduce((sum, cost) => sum + cost, 0);
  const spare = maxTokens - firstCost(at);
  let before = spare - Math.min(spare / 2, after);
  let start = at;
  while (start > 0 && firstCost(start - 1) <= before) before -= costs[--start]!;
  return range.first + start;
}

/** Yields the text of each chunk from an offset, after the text of the chunk before it. */
function* piecesFrom({ chunks, first, exact }: ChunkRange, from: number): Generator<Piece> {
  const start = Math.floor(from);
  for (let index = Math.max(start, first); index - first < chunks.length; index++) {
    const chunk = chunks[index - first]!;
    const before = chunks[index - first - 1];
    const text = before
      ? textAfter(before, chunk, exact)
      : index === 0
      ? firstText(chunk, exact)
      : chunk.text;
    const previous = index > start ? before : undefined;
    yield { index, chunk, previous, text: index === start ? textFrom(text, chunk, from - start) : text };
  }
}

/** Returns the end of a text, from a fraction of its chunk. */
function textFrom(text: string, chunk: Chunk, fraction: number): string {
  return fraction === 0 ? text : chunk.text.slice(Math.round(fraction * chunk.text.length));
}

/** Returns the offset before the last `length` code units of a chunk. */
function offsetBefore({ index, chunk }: Piece, length: number): number {
  const fraction = 1 - length / Math.max(1, chunk.text.length);
  return index + Math.max(0, Math.round(fraction * OFFSET_PRECISION) / OFFSET_PRECISION);
}

/** Cuts a text between words, to a number of tokens. */
function cutText(text: string, maxTokens: number): string {
  const leading = text.search(/\S/);
  let [low, high] = [Math.min(leading + MIN_CHARS, text.length), text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (tokensOf(text.slice(0, middle)) <= maxTokens) low = middle;
    else high = middle - 1;
  }
  const start = text.slice(0, low);
  const space = start.search(/\s\S*$/);
  // A text without spaces is cut between characters.
  return space > Math.max(low / 2, leading) ? start.slice(0, space) : start.replace(/[\ud800-\udbff]$/, "");
}

/** Estimates the tokens that a chunk adds to the passages as JSON. */
function tokensOfPiece(piece: Piece): number {
  const overhead = startsPassage(piece) ? PASSAGE_TOKENS + tokensOf(shownHeadings(piece)) : 0;
  return overhead + tokensOf(piece.text);
}

function tokensOf(value: unknown): number {
  return value === undefined ? 0 : estimateTokens(JSON.stringify(value));
}

function toPassages(pieces: readonly Piece[]): Passage[] {
  const groups: Piece[][] = [];
  for (const piece of pieces) {
    if (startsPassage(piece)) groups.push([piece]);
    else groups.at(-1)!.push(piece);
  }
  return groups.map((group) => {
    const [first] = group as [Piece];
    const { index, chunk, previous } = first;
    const headings = shownHeadings(first);
    const page = chunk.page_start;
    return {
      index,
      ...(group.length === 1 ? { chunk_id: chunk.chunk_id } : {}),
      ...(headings ? { heading_path: headings.map(visibleText) } : {}),
      ...(typeof page === "number" && page !== previous?.page_start ? { page_start: page } : {}),
      // Joining uses offsets, so hidden characters are removed after it.
      text: visibleText(group.map(({ text }) => text).join("")),
    };
  });
}

/** Whether a chunk is in another section or on another page than the one before it. */
function startsPassage({ chunk, previous }: Piece): boolean {
  return previous === undefined || pathOf(chunk) !== pathOf(previous) ||
    (chunk.page_start ?? null) !== (previous.page_start ?? null);
}

/** Returns the headings of a chunk where they change; undefined if the text shows them, or there are none. */
function shownHeadings({ chunk, previous, text }: Piece): string[] | undefined {
  const { heading_path = [] } = chunk;
  const isKnown = previous !== undefined && pathOf(previous) === pathOf(chunk);
  return heading_path.length === 0 || isKnown || /^\s*#{1,6}\s/.test(text) ? undefined : heading_path;
}

function pathOf({ heading_path = [] }: Chunk): string {
  return JSON.stringify(heading_path);
}
