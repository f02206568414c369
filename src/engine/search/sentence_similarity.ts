import type { Sentence } from "./sentences.ts";

/*
 * How likely two sentences state the same fact, or one an update or contradiction of the other. Sentences about
 * the same topic and sentences of one template ("Ann lives in Rome", "Bob lives in Bonn") are different facts.
 *
 * The coefficients are those of logistic regressions on half of the pairs in
 * `tests/engine/search/similar_notes/pairs.jsonl`, rounded. A test measures precision and recall on both halves.
 */

/** Weight of a term, by its stem: the rarer, the higher. */
export type TermWeight = (stem: string) => number;

/** Comparison of two sentences by their words. */
export interface SentenceComparison {
  /** Whether they differ only in case, punctuation and white space. */
  readonly isSame: boolean;
  /** Weight of the shared terms, as a share of all (Dice coefficient, from 0 to 1). */
  readonly overlap: number;
  /**
   * From 0 to 1: how far the sentences agree from their start. What a sentence is about comes first, a value that is
   * updated comes last. 1 if all terms of one sentence occur in the other.
   */
  readonly commonStart: number;
}

/** Weight of a term with digits, relative to others: numbers are values, which updates change. */
const NUMBER_WEIGHT = 0.5;

/**
 * Compares two sentences.
 *
 * @example
 * ```ts
 * import { compareSentences } from "./sentence_similarity.ts";
 * import { sentencesOf } from "./sentences.ts";
 * import { assertEquals } from "@std/assert";
 * const [a, b] = sentencesOf("Ann lives in Rome.\nAnn lives in Bonn.", { max: 2 });
 * const { isSame, overlap, commonStart } = compareSentences(a!, b!, () => 1);
 * assertEquals([isSame, overlap, commonStart], [false, 2 / 3, 1]);
 * ```
 */
export function compareSentences(a: Sentence, b: Sentence, weightOf: TermWeight): SentenceComparison {
  const [inA, inB] = [termSet(a), termSet(b)];
  const weight = (terms: readonly string[]) => sum(terms.map((term) => effectiveWeight(term, weightOf)));
  const common = a.terms.filter((term) => inB.has(term));
  // Most sentences share no term, and reading the weight of one takes longer than all the rest.
  const shared = weight(common);
  const total = common.length === 0 ? 0 : weight(a.terms) + weight(b.terms);
  return {
    isSame: a.key === b.key,
    overlap: total === 0 ? 0 : (2 * shared) / total,
    commonStart: Math.max(startIn(a.terms, inB), startIn(b.terms, inA)),
  };
}

/**
 * Returns a comparison that is at least as similar as that of {@linkcode compareSentences}, from the weights of the
 * terms of `a` alone: as if `b` had no other terms.
 *
 * @param weight Weight of `a`.
 */
export function compareAtBest(
  a: Sentence,
  b: Sentence,
  { weight, weightOf }: { readonly weight: number; readonly weightOf: TermWeight },
): SentenceComparison {
  const [inA, inB] = [termSet(a), termSet(b)];
  let shared = 0;
  for (const term of a.terms) if (inB.has(term)) shared += effectiveWeight(term, weightOf);
  return {
    isSame: a.key === b.key,
    overlap: shared === 0 ? 0 : (2 * shared) / (weight + shared),
    commonStart: shared === 0 ? 0 : Math.max(startIn(a.terms, inB), startIn(b.terms, inA)),
  };
}

/** Terms of sentences, which are compared with several others. */
const termSets = new WeakMap<Sentence, ReadonlySet<string>>();

function termSet(sentence: Sentence): ReadonlySet<string> {
  let terms = termSets.get(sentence);
  if (!terms) termSets.set(sentence, terms = new Set(sentence.terms));
  return terms;
}

/** Returns the total weight of a sentence's terms. */
export function sentenceWeight({ terms }: Sentence, weightOf: TermWeight): number {
  return sum(terms.map((term) => effectiveWeight(term, weightOf)));
}

/** Returns the similarity by words, from 0 to 1. */
export function lexicalSimilarity({ isSame, overlap, commonStart }: SentenceComparison): number {
  return isSame ? 1 : logistic(-4.7 + 7 * overlap + 1.3 * overlap * commonStart);
}

/**
 * Returns the similarity by meaning and words, from 0 to 1.
 *
 * @param cosine Cosine of the vectors of the notes by all-MiniLM-L6-v2. Other models have other scales.
 */
export function semanticSimilarity({ overlap, commonStart }: SentenceComparison, cosine: number): number {
  return logistic(-8.6 + 1.6 * overlap + 1.4 * overlap * commonStart + 10.8 * cosine);
}

/** Returns the share of terms before the first one that is not among the others: at half of them already 1. */
function startIn(terms: readonly string[], others: ReadonlySet<string>): number {
  const first = terms.findIndex((term) => !others.has(term));
  return first < 0 ? 1 : Math.min(1, (2 * first) / terms.length);
}

function effectiveWeight(term: string, weightOf: TermWeight): number {
  return weightOf(term) * (/\d/.test(term) ? NUMBER_WEIGHT : 1);
}

function logistic(x: number): number {
  return 1 / (1 + Math.exp(-x));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
