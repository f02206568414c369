import type { ScoredChunk } from "./hits.ts";
import type { Passages, PassageWords } from "./passages.ts";

/*
 * Memories contradict each other: "The office is in Berlin" and, a year later, "The office is in Hamburg". Words
 * and vectors cannot tell which of the two holds, but the time of the change can. The constants change no score
 * of the evaluation sets: docs/evaluation.md.
 */

/** Number of first results that are compared. It does not depend on the page, so that pages agree. */
export const COMPARED_RESULTS = 20;
/** Minimum score relative to a higher result for which the order is a matter of chance. */
const MIN_SCORE_SHARE = 0.95;
/** Minimum share of common words among all words of two passages that nearly say the same. */
const MIN_COMMON_WORDS = 0.6;
/** A longer passage is not a single statement. */
const MAX_WORDS = 60;

/**
 * Puts each of the first results in the place of those that nearly say the same and are older, if their scores are
 * within a few percent. The scores stay in descending order.
 *
 * @param ranked The first results, at least {@linkcode COMPARED_RESULTS} if there are as many.
 */
export function preferNewer(ranked: readonly ScoredChunk[], passages: Passages): ScoredChunk[] {
  const pairs = similarPairs(ranked.slice(0, COMPARED_RESULTS), passages);
  if (pairs.length === 0) return [...ranked];
  const ids = [...new Set(pairs.flatMap((pair) => pair.map((at) => ranked[at]?.id ?? 0)))];
  const times = passages.changeTimesOf(ids);
  const isBefore = new Set<string>();
  for (const [higher, lower] of pairs) {
    const [a, b] = [ranked[higher]?.id ?? 0, ranked[lower]?.id ?? 0];
    const isNewer = (times.get(b) ?? "") > (times.get(a) ?? "");
    if (isNewer && sayNearlyTheSame(passages.wordsOf(a), passages.wordsOf(b))) {
      isBefore.add(`${lower} ${higher}`);
    }
  }
  if (isBefore.size === 0) return [...ranked];
  const order: number[] = [];
  for (const at of ranked.keys()) {
    let last = at;
    // The older ones move to each other's positions, so that results in between keep theirs.
    for (const [position, other] of order.entries()) {
      if (!isBefore.has(`${at} ${other}`)) continue;
      order[position] = last;
      last = other;
    }
    order.push(last);
  }
  return order.map((at, position) => ({
    id: (ranked[at] as ScoredChunk).id,
    score: (ranked[position] as ScoredChunk).score,
  }));
}

/** Returns the pairs of positions whose scores and lengths are so close that the texts have to be compared. */
function similarPairs(ranked: readonly ScoredChunk[], passages: Passages): [number, number][] {
  const counts = ranked.map(({ id }) => passages.wordCountOf(id));
  const pairs: [number, number][] = [];
  for (const [higher, { score }] of ranked.entries()) {
    const words = counts[higher] as number;
    if (words > MAX_WORDS) continue;
    for (let lower = higher + 1; lower < ranked.length; lower++) {
      if ((ranked[lower] as ScoredChunk).score < MIN_SCORE_SHARE * score) break;
      const others = counts[lower] as number;
      const isClose = Math.min(words, others) >= MIN_COMMON_WORDS * Math.max(words, others);
      if (others <= MAX_WORDS && isClose) pairs.push([higher, lower]);
    }
  }
  return pairs;
}

function sayNearlyTheSame(a: PassageWords | undefined, b: PassageWords | undefined): boolean {
  if (!a || !b) return false;
  const common = countCommon(a.words, b.words);
  const all = a.words.size + b.words.size - common;
  // Each subword could be a common word.
  if (common + a.maxSubwords + b.maxSubwords < MIN_COMMON_WORDS * all) return false;
  return haveMostlyTheSame(a.withSubwords(), b.withSubwords());
}

function haveMostlyTheSame(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  const common = countCommon(a, b);
  return common >= MIN_COMMON_WORDS * (a.size + b.size - common);
}

function countCommon(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const [smaller, larger] = a.size < b.size ? [a, b] : [b, a];
  let common = 0;
  for (const word of smaller) if (larger.has(word)) common++;
  return common;
}
