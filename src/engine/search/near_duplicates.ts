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
 * @param options.count Number of results to return.
 */
export function preferNewer(
  ranked: readonly ScoredChunk[],
  passages: Passages,
  { count }: { readonly count: number },
): ScoredChunk[] {
  const compared = ranked.slice(0, COMPARED_RESULTS);
  const counts = compared.map(({ id }) => passages.wordCountOf(id));
  const scoreOf = (at: number) => (compared[at] as ScoredChunk).score;
  const mayBeTheSame = (higher: number, lower: number) =>
    scoreOf(lower) >= MIN_SCORE_SHARE * scoreOf(higher) &&
    haveSimilarLengths(counts[higher] as number, counts[lower] as number);
  const ids: number[] = [];
  for (let higher = 0; higher < Math.min(count, compared.length); higher++) {
    for (let lower = higher + 1; lower < compared.length; lower++) {
      if (mayBeTheSame(higher, lower)) {
        ids.push((compared[higher] as ScoredChunk).id, (compared[lower] as ScoredChunk).id);
      }
    }
  }
  if (ids.length === 0) return ranked.slice(0, count);
  const times = passages.changeTimesOf(ids);
  // A result that has moved up to this page can be older than others, too.
  const timeOf = (id: number) => (times.has(id) ? times : passages.changeTimesOf([id])).get(id) ?? "";
  const isBefore = (lower: number, higher: number) => {
    if (!mayBeTheSame(higher, lower)) return false;
    const [a, b] = [compared[higher] as ScoredChunk, compared[lower] as ScoredChunk];
    return timeOf(b.id) > timeOf(a.id) && sayNearlyTheSame(passages.wordsOf(a.id), passages.wordsOf(b.id));
  };
  const order: number[] = [];
  for (let at = 0; at < compared.length; at++) {
    let last = at;
    // The older ones move to each other's positions, so that results in between keep theirs.
    for (let position = 0; position < order.length; position++) {
      const other = order[position] as number;
      if (!isBefore(at, other)) continue;
      order[position] = last;
      last = other;
    }
    if (at < count) order.push(last);
  }
  return ranked.slice(0, count).map((hit, position) => {
    const at = order[position];
    return at === undefined ? hit : { id: (compared[at] as ScoredChunk).id, score: hit.score };
  });
}

/** Whether passages of some numbers of words may nearly say the same, so that they have to be compared. */
function haveSimilarLengths(a: number, b: number): boolean {
  return Math.max(a, b) <= MAX_WORDS && Math.min(a, b) >= MIN_COMMON_WORDS * Math.max(a, b);
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
  const smaller = a.size < b.size ? a : b;
  const larger = a.size < b.size ? b : a;
  let common = 0;
  for (const word of smaller) if (larger.has(word)) common++;
  return common;
}
