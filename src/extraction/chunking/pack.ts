import { type Block, scanBlocks } from "./blocks.ts";
import { characterStart, cutPieces, nextBoundary, type Piece } from "./pieces.ts";
import { weigh, weighUnit } from "./tokens.ts";
import type { ChunkSource } from "../types.ts";
import { skipSpace } from "../whitespace.ts";

/** A stretch of text that becomes a chunk. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Weights (see tokens.ts) that bound a span. */
export interface Limits {
  /** Heaviest span. */
  readonly max: number;
  /** Heaviest part of a span that repeats the end of the one before. */
  readonly overlap: number;
}

/**
 * Cuts `range`, a section that is too heavy for one chunk, into spans of at most `limits.max`: at blocks where that leaves
 * no span half empty, else at sentences, lines, words, characters. Neighbours overlap, but never into a heading
 * or a whole fence.
 */
export function* packSpans({ text, markup }: ChunkSource, range: Span, limits: Limits): Generator<Span> {
  const total = weigh(text, range.start, range.end);
  const spans = Math.max(1, Math.ceil((total - limits.overlap) / (limits.max - limits.overlap)));
  // Filling each span would leave the last one with a crumb: all are filled about evenly instead.
  const even = (total + (spans - 1) * limits.overlap) / spans;
  const packer = new Packer(text, limits, Math.min(limits.max, Math.ceil(even + limits.max / 8)));

  for (const block of scanBlocks(text, range.start, range.end, markup)) {
    const whole: Piece = { start: block.start, end: block.end, weight: weigh(text, block.start, block.end) };
    const cut = block.kind === "fence" ? "line" : "sentence";
    if (packer.takesWhole(whole, block.kind)) yield* packer.add(whole, block.kind, cut);
    else {
      for (const piece of cutPieces(text, block.start, block.end, limits.max - limits.overlap, cut)) {
        yield* packer.add(piece, "paragraph", cut);
      }
    }
    if (block.kind !== "paragraph") packer.sealOverlap(block.end);
  }
  yield* packer.finish();
}

class Packer {
  #start = -1; // of the span that is being filled; -1: none
  #end = -1;
  #weight = 0;
  #headingsOnly = true;
  /** No overlap starts before this. */
  #sealed = 0;

  constructor(readonly text: string, readonly limits: Limits, readonly target: number) {}

  /** Whether a block is added as it is, be it to a new span; else it has to be cut. */
  takesWhole(block: Piece, kind: Block["kind"]): boolean {
    if (this.#fits(block, kind)) return true;
    // A heading must not be left alone for the sake of what stands under it.
    if (this.#start >= 0 && this.#headingsOnly) return false;
    if (kind === "fence") return block.weight <= this.limits.max;
    return block.weight <= this.limits.max - this.limits.overlap && this.#weight >= this.target / 2;
  }

  /** Adds a piece to the span; if it has no room there, yields the span and begins the next one with it. */
  *add(piece: Piece, kind: Block["kind"], cut: "sentence" | "line"): Generator<Span> {
    if (this.#start < 0) this.#begin(piece.start, piece);
    else if (this.#fits(piece, kind)) {
      this.#weight += this.#gap(piece) + piece.weight;
      this.#end = piece.end;
    } else {
      yield { start: this.#start, end: this.#end };
      this.#begin(this.#overlapStart(piece, cut), piece);
    }
    if (kind !== "heading") this.#headingsOnly = false;
  }

  *finish(): Generator<Span> {
    if (this.#start >= 0) yield { start: this.#start, end: this.#end };
  }

  sealOverlap(end: number): void {
    this.#sealed = end;
  }

  #fits(piece: Piece, kind: Block["kind"]): boolean {
    const most = kind === "fence" || this.#headingsOnly ? this.limits.max : this.target;
    return (this.#start < 0 ? 0 : this.#weight + this.#gap(piece)) + piece.weight <= most;
  }

  /** Weight of the white space before a piece. */
  #gap(piece: Piece): number {
    return piece.start - this.#end;
  }

  #begin(start: number, piece: Piece): void {
    // Spans must start later and later, also when the white space at their starts is left out.
    this.#start = skipSpace(this.text, start, piece.start);
    this.#weight = weigh(this.text, this.#start, piece.start) + piece.weight;
    this.#end = piece.end;
    this.#headingsOnly = true;
  }

  /** Where a span starts that continues with `piece`: in the span before, if its end may be repeated. */
  #overlapStart(piece: Piece, cut: "sentence" | "line"): number {
    const { text, limits } = this;
    const budget = Math.min(limits.overlap, limits.max - piece.weight - this.#gap(piece));
    const floor = Math.max(this.#start + 1, this.#sealed);
    let earliest = this.#end;
    let weight = 0;
    while (earliest > floor) {
      weight += weighUnit(text.charCodeAt(earliest - 1));
      if (weight > budget) break;
      earliest--;
    }
    if (earliest === this.#end) return piece.start;
    for (const boundary of [cut, "word"] as const) {
      const at = this.#boundaryFrom(earliest, floor, boundary);
      if (at < this.#end) return at;
    }
    // Text without spaces: anywhere but inside a pair.
    return characterStart(text, earliest) < earliest ? earliest + 1 : earliest;
  }

  /** The first boundary at or after `earliest`. */
  #boundaryFrom(earliest: number, floor: number, cut: "sentence" | "line" | "word"): number {
    // One character of run-up finds a boundary that lies exactly at `earliest`.
    const from = Math.max(floor - 1, earliest - 2, 0);
    for (let at = from; at < this.#end;) {
      at = nextBoundary(this.text, at, this.#end, cut);
      if (at >= earliest) return at;
    }
    return this.#end;
  }
}
