import { TILE_TOKENS } from "./kernel/kernel.ts";
import type { Architecture } from "./model_header.ts";

/** Minimum number of tokens that an encoder processes at once: enough to use each weight many times once it is loaded. */
const BATCH_TOKENS = 256;
/** Number of tokens in the feed-forward network at once, so that its activations stay in the second-level cache. */
export const FEED_FORWARD_TOKENS = 64;

/** Addresses of the memory that one encoder writes, with the number of tokens that fit. */
export interface Scratch {
  /** Maximum number of tokens in a batch. */
  readonly tokens: number;
  /** u32 per token. */
  readonly ids: number;
  /** float32, `tokens × hidden`. */
  readonly hidden: number;
  /** float32, `tokens × 3 hidden`. */
  readonly projections: number;
  /** float32, `tokens × hidden`. */
  readonly context: number;
  /** int16, `tokens × hidden`. */
  readonly quantized: number;
  /** float32 per token. */
  readonly scales: number;
  /** float32, `64 × intermediate`. */
  readonly intermediate: number;
  /** int16, `64 × intermediate`. */
  readonly quantizedIntermediate: number;
  /** Scratch of `attention`. */
  readonly attention: number;
  /** float32 per dimension: the vector of a text. */
  readonly vector: number;
  /** First address after the region. */
  readonly end: number;
}

/**
 * Lays out the scratch memory of an encoder.
 *
 * @param start Address of the region, a multiple of 64.
 * @param attentionBytes Bytes of scratch for the attention of the longest text.
 */
export function layOutScratch(
  { hidden, intermediate, max_tokens }: Architecture,
  start: number,
  attentionBytes: number,
): Scratch {
  let end = start;
  const allocate = (bytes: number): number => {
    const address = end;
    end = Math.ceil((end + bytes) / 64) * 64;
    return address;
  };
  const tokens = Math.max(BATCH_TOKENS, max_tokens);
  const rows = tokens + TILE_TOKENS;
  return {
    tokens,
    ids: allocate(4 * tokens),
    hidden: allocate(4 * rows * hidden),
    projections: allocate(4 * rows * 3 * hidden),
    context: allocate(4 * rows * hidden),
    quantized: allocate(2 * rows * hidden),
    scales: allocate(4 * rows),
    intermediate: allocate(4 * FEED_FORWARD_TOKENS * intermediate),
    quantizedIntermediate: allocate(2 * FEED_FORWARD_TOKENS * intermediate),
    attention: allocate(attentionBytes),
    vector: allocate(4 * hidden),
    end,
  };
}
