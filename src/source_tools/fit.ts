import { estimateTokens } from "../text/mod.ts";

/** Lengths of the lists of an output, from the one that is tried first. */
const LENGTHS = [200, 100, 50, 25, 12, 6, 3, 1];

/**
 * Builds an output with the longest lists that fit into a budget.
 *
 * @param build Builds an output whose lists have at most this many items.
 * @returns The output; with one item in each list if nothing fits.
 */
export function fitLists<T>(build: (length: number) => T, maxTokens: number): T {
  for (const length of LENGTHS) {
    const output = build(length);
    if (length === LENGTHS.at(-1) || estimateTokens(JSON.stringify(output)) <= maxTokens) return output;
  }
  return build(1);
}
