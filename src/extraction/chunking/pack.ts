import { skipSpace } from "../whitespace.ts";
import { type Block, scanBlocks } from "./blocks.ts";
import { characterStart, nextBoundary, type Segment, splitText } from "./split.ts";
import { unitWeight, weightOf } from "./tokens.ts";
import type { ChunkSource, TextRange } from "./types.ts";

/** Limits of a chunk, in weights (see `tokens.ts`). */
export interface PackLimits {
  /** Maximum weight of a chunk. */
  readonly maxWeight: number;
  /** Maximum weight of the text that a chunk repeats from the previous one. */
  readonly overlapWeight: number;
}

/**
 * Splits a section that is too heavy for one chunk: at blocks if no chunk stays less than half full,
 * otherwise at sentences, lines, words or characters. Adjacent chunks overlap, except after a heading or a
 * whole fence.
 */
export function* packSection(
  source: ChunkSource,
  section: TextRange,
  limits: PackLimits,
): Generator<TextRange> {
  const { text } = source;
  const { maxWeight, overlapWeight } = limits;
  const total = weightOf(text, section);
  const count = Math.max(1, Math.ceil((total - overlapWeight) / (maxWeight - overlapWeight)));
  // Chunks are filled evenly: filling each to the maximum would leave a tiny last one.
  const evenWeight = (total + (count - 1) * overlapWeight) / count;
  const packer = new Packer(text, limits, Math.min(maxWeight, Math.ceil(evenWeight + maxWeight / 8)));

  for (const block of scanBlocks(source, section)) {
    const whole: Segment = { start: block.start, end: block.end, weight: weightOf(text, block) };
    const granularity = block.kind === "fence" ? "line" : "sentence";
    if (packer.takesWhole(whole, block.kind)) yield* packer.add(whole, block.kind, granularity);
    else {
      const segments = splitText(text, block, { maxWeight: maxWeight - overlapWeight, granularity });
      for (const segment of segments) yield* packer.add(segment, "paragraph", granularity);
    }
    if (block.kind !== "paragraph") packer.forbidOverlapBefore(block.end);
  }
  yield* packer.finish();
}

/** Fills chunks with segments, one after the other. */
class Packer {
  readonly #text: string;
  readonly #limits: PackLimits;
  readonly #targetWeight: number;
  #start = -1; // of the open chunk; -1 without one
  #end = -1;
  #weight = 0;
  #headingsOnly = true;
  #minOverlapStart = 0;

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
    if (kind === "fence") return block.weight <= this.#limits.maxWeight;
    return block.weight <= this.#limits.maxWeight - this.#limits.overlapWeight &&
      this.#weight >= this.#targetWeight / 2;
  }

  /** Adds a segment to the open chunk; if it does not fit, yields that chunk and starts the next one. */
  *add(segment: Segment, kind: Block["kind"], granularity: "sentence" | "line"): Generator<TextRange> {
    if (this.#start < 0) this.#startChunk(segment.start, segment);
    else if (this.#fits(segment, kind)) {
      this.#weight += this.#gapBefore(segment) + segment.weight;
      this.#end = segment.end;
    } else {
      yield { start: this.#start, end: this.#end };
      this.#startChunk(this.#overlapStart(segment, granularity), segment);
    }
    if (kind !== "heading") this.#headingsOnly = false;
  }

  /** Yields the open chunk. */
  *finish(): Generator<TextRange> {
    if (this.#start >= 0) yield { start: this.#start, end: this.#end };
  }

  /** Text before `offset` is not repeated in later chunks. */
  forbidOverlapBefore(offset: number): void {
    this.#minOverlapStart = offset;
  }

  #fits(segment: Segment, kind: Block["kind"]): boolean {
    const limit = kind === "fence" || this.#headingsOnly ? this.#limits.maxWeight : this.#targetWeight;
    return (this.#start < 0 ? 0 : this.#weight + this.#gapBefore(segment)) + segment.weight <= limit;
  }

  /** Returns the weight of the white space between the open chunk and a segment. */
  #gapBefore(segment: Segment): number {
    return segment.start - this.#end;
  }

  #startChunk(start: number, segment: Segment): void {
    // Starts must ascend, also after white space is trimmed.
    this.#start = skipSpace(this.#text, start, segment.start);
    this.#weight = weightOf(this.#text, { start: this.#start, end: segment.start }) + segment.weight;
    this.#end = segment.end;
    this.#headingsOnly = true;
  }

  /**
   * Returns the start of a chunk that continues with `segment`: inside the previous chunk if its end may be
   * repeated.
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
    for (const each of [granularity, "word"] as const) {
      const boundary = this.#boundaryFrom(earliest, floor, each);
      if (boundary < this.#end) return boundary;
    }
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
