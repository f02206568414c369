/** Number of random sign assignments, as in the cited study, and the limit on assignments × queries. */
const MAX_SAMPLES = 100_000;
const MAX_STEPS = 100_000_000;
const MIN_SAMPLES = 1_000;
/** Differences of sums below this are rounding errors. */
const EPSILON = 1e-9;

/** Difference of a metric between two runs over the same queries. */
export interface PairedDifference {
  /** Number of queries that both runs have. */
  readonly queries: number;
  /** Mean of the differences, and its standard error. */
  readonly mean: number;
  readonly standardError: number;
  /** Numbers of queries that are better, worse and equal in the second run. */
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  /** Two-sided p value of the randomization test. */
  readonly p: number;
}

/**
 * Compares two runs query by query. Undefined when they have no query in common.
 *
 * The p value comes from Fisher's randomization test: under the null hypothesis the two scores of a query may
 * be swapped, so p is the share of random swaps whose mean difference is at least as large as the observed one.
 * Smucker, Allan and Carterette, "A comparison of statistical significance tests for information retrieval
 * evaluation" (CIKM 2007), recommend it over the sign and Wilcoxon tests. The swaps are the same for every call.
 *
 * @param before Scores by query id.
 *
 * @example
 * ```ts
 * import { pairedDifference } from "./significance.ts";
 * import { assertEquals } from "@std/assert";
 * const before = new Map([["1", 0.2], ["2", 0.5]]);
 * const after = new Map([["1", 0.6], ["2", 0.5]]);
 * const { mean, wins, losses, ties, p } = pairedDifference(before, after)!;
 * assertEquals([mean.toFixed(2), wins, losses, ties, p], ["0.20", 1, 0, 1, 1]);
 * ```
 */
export function pairedDifference(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): PairedDifference | undefined {
  const differences = [...after].flatMap(([id, score]) => {
    const earlier = before.get(id);
    return earlier === undefined ? [] : [score - earlier];
  });
  const queries = differences.length;
  if (queries === 0) return undefined;
  const mean = differences.reduce((sum, each) => sum + each, 0) / queries;
  const squares = differences.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  const changed = differences.filter((each) => Math.abs(each) > EPSILON);
  const wins = changed.filter((each) => each > 0).length;
  return {
    queries,
    mean,
    standardError: queries === 1 ? 0 : Math.sqrt(squares / (queries - 1) / queries),
    wins,
    losses: changed.length - wins,
    ties: queries - changed.length,
    p: randomizationTest(changed),
  };
}

function randomizationTest(differences: readonly number[]): number {
  if (differences.length === 0) return 1;
  const magnitudes = Float64Array.from(differences, Math.abs);
  const observed = Math.abs(differences.reduce((sum, each) => sum + each, 0));
  const samples = Math.max(MIN_SAMPLES, Math.min(MAX_SAMPLES, Math.floor(MAX_STEPS / magnitudes.length)));
  const nextBits = randomBits();
  let extreme = 0;
  for (let sample = 0; sample < samples; sample++) {
    let sum = 0;
    for (let start = 0; start < magnitudes.length; start += 32) {
      let bits = nextBits();
      const end = Math.min(start + 32, magnitudes.length);
      for (let index = start; index < end; index++, bits >>>= 1) {
        sum += bits & 1 ? magnitudes[index]! : -magnitudes[index]!;
      }
    }
    if (Math.abs(sum) >= observed - EPSILON) extreme++;
  }
  // The observed assignment counts as one of the samples, so that p is never 0.
  return (extreme + 1) / (samples + 1);
}

/** Returns a generator of 32 random bits with a fixed seed (mulberry32), so that results can be repeated. */
function randomBits(): () => number {
  let state = 2007;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
