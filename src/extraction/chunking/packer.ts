import { skipSpace } from "../whitespace.ts";
import type { Block } from "./blocks.ts";
import { characterStart, nextBoundary, type Segment } from "./split.ts";
import { unitWeight, weightOf } from "./tokens.ts";
import type { TextRange } from "./types.ts";

/** Limits of a chunk, in weights (see `tokens.ts`). */
export interface PackLimits {
  /** Maximum weight of a chunk. */
  readonly maxWeight: number;
  /** Maximum weight of the text that a chunk repeats from the previous one. */
  readonly overlapWeight: number;
}

/** A range of text for one chunk. */
export interface PackedRange extends TextRange {
  /** Header rows with their line end, to repeat before the range, which starts with a later row of their table. */
  readonly header?: TextRange | undefined;
}

/** Not a new list for each segment: a long text has millions of them. */
const NONE: readonly PackedRange[] = [];

/** Fills chunks with segments, one after the other. */
export class Packer {
  readonly #text: string;
  readonly #limits: PackLimits;
  readonly #targetWeight: number;
  #start = -1; // of the open chunk; -1 without one
  #end = -1;
  #header: Segment | undefined; // of the open chunk
  #weight = 0;
  #headingsOnly = true;
  #minOverlapStart = 0;
  #table: { readonly header: Segment | undefined } | undefined; // whose rows are being added

  /** Chunks in the middle of a section are filled up to `targetWeight`. */
  constructor(text: string, limits: PackLimits, targetWeight: number) {
    this.#text = text;
    this.#limits = limits;
    this.#targetWeight = targetWeight;
  }

  /** Whether to add a block as a whole, possibly to a new chunk, instead of splitting it. */
  takesWhole(block: Segment, kind: Block["kind"]): boolean {
    if (this.#fits(block, kind)) return true;
    // A heading must not be separated from the text under it.
    if (this.#start >= 0 && this.#headingsOnly) return false;
    if (kind !== "paragraph" && kind !== "heading") return block.weight <= this.#limits.maxWeight;
    return block.weight <= this.#limits.maxWeight - this.#limits.overlapWeight &&
      this.#weight >= this.#targetWeight / 2;
  }

  /** Adds a segment to the open chunk; if it does not fit, returns that chunk, and starts the next one. */
  add(segment: Segment, kind: Block["kind"], granularity: "sentence" | "line"): readonly PackedRange[] {
    let finished = NONE;
    if (this.#start < 0) this.#startChunk(segment.start, segment);
    else if (this.#fits(segment, kind)) {
      this.#weight += this.#gapBefore(segment) + segment.weight;
      this.#end = segment.end;
    } else {
      finished = this.finish();
      this.#startChunk(this.#table ? segment.start : this.#overlapStart(segment, granularity), segment);
    }
    if (kind !== "heading") this.#headingsOnly = false;
    return finished;
  }

  /** Returns the open chunk, if any. */
  finish(): readonly PackedRange[] {
    return this.#start < 0 ? NONE : [{ start: this.#start, end: this.#end, header: this.#header }];
  }

  /** Text before `offset` is not repeated in later chunks. */
  forbidOverlapBefore(offset: number): void {
    this.#minOverlapStart = offset;
  }

  /** The next segments are rows of a table. Chunks that start with one repeat `header` instead of an overlap. */
  startRows(header: Segment | undefined): void {
    this.#table = { header };
  }

  /** Ends {@linkcode startRows}. */
  endRows(): void {
    this.#table = undefined;
  }

  #fits(segment: Segment, kind: Block["kind"]): boolean {
    const isUneven = kind === "fence" || this.#headingsOnly;
    const limit = isUneven ? this.#limits.maxWeight : this.#targetWeight;
    return (this.#start < 0 ? 0 : this.#weight + this.#gapBefore(segment)) + segment.weight <= limit;
  }

  /** Returns the weight of the white space between the open chunk and a segment. */
  #gapBefore(segment: Segment): number {
    return segment.start - this.#end;
  }

  #startChunk(start: number, segment: Segment): void {
    const header = this.#table?.header;
    this.#header = header && header.weight + segment.weight <= this.#limits.maxWeight ? header : undefined;
    // Starts must ascend, also after white space is trimmed.
    this.#start = skipSpace(this.#text, start, segment.start);
    this.#weight = (this.#header?.weight ?? 0) + segment.weight +
      weightOf(this.#text, { start: this.#start, end: segment.start });
    this.#end = segment.end;
    this.#headingsOnly = true;
  }

  /**
   * Returns the start of a chunk that continues with `segment`: inside the previous chunk if its end may be
   * repeated. At the start of a sentence or line if one fits, else at a word: without an overlap, queries whose words
   * are on both sides of the cut lose their best passage.
   */
  #overlapStart(segment: Segment, granularity: "sentence" | "line"): number {
    const text = this.#text;
    const { maxWeight, overlapWeight } = this.#limits;
    const budget = Math.min(overlapWeight, maxWeight - segment.weight - this.#gapBefore(segment));
    const floor = Math.max(this.#start + 1, this.#minOverlapStart);
    let earliest = this.#end;
    let weight = 0;
    while (earliest > floor) {
      weight += unitWeight(text.charCodeAt(earliest - 1));
      if (weight > budget) break;
      earliest--;
    }
    if (earliest === this.#end) return segment.start;
    for (const each of [granularity, "line", "word"] as const) {
      const boundary = this.#boundaryFrom(earliest, floor, each);
      if (boundary < this.#end) return boundary;
    }
    if (!segment.isContinuation) return segment.start;
    // Text without spaces: any character boundary.
    return characterStart(text, earliest) < earliest ? earliest + 1 : earliest;
  }

  /** Returns the first boundary at or after `earliest`, or the end of the open chunk. */
  #boundaryFrom(earliest: number, floor: number, granularity: "sentence" | "line" | "word"): number {
    // Starts one character before, to find a boundary at `earliest` itself.
    const from = Math.max(floor - 1, earliest - 2, 0);
    for (let at = from; at < this.#end;) {
      at = nextBoundary(this.#text, { start: at, end: this.#end }, granularity);
      if (at >= earliest) return at;
    }
    return this.#end;
  }
}
