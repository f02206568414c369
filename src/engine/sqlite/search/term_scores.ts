import { type CompoundPrefixes, isLooseTerm, stems as stemsOf } from "../../../analysis/mod.ts";
import { ALTERNATIVE_WEIGHT, LONE_SUBWORD_WEIGHT, type QueryTerm, SUBWORD_WEIGHT } from "../../search/mod.ts";
import { type CompoundTerm, expandCompounds } from "./compounds.ts";
import { NO_POSTINGS, type Postings, type PostingsReader, type ScoreAccumulator } from "../index/mod.ts";

/**
 * Maximum number of postings that the words of a query read, by estimate: about 50 ms. Few questions read as many in a
 * million chunks; of a query of many frequent words, the most frequent ones are ignored.
 */
const MAX_POSTINGS = 1_500_000;
/** Maximum number of phrases of a query. Each one may compare texts. */
const MAX_PHRASES = 16;

/**
 * Weight of a match by a derived term, relative to the word as typed: the stems of other languages, and of light
 * stemmers, conflate more words.
 */
const FORM_WEIGHT = 0.8;
/** Same, for derived terms that unrelated words may share. */
const LOOSE_FORM_WEIGHT = 0.4;

/** A query term as the index stores it. Words with the same stem are one. */
interface StemmedTerm {
  readonly stems: readonly string[];
  readonly words: readonly string[];
  /** Derived terms that match, too. */
  forms: readonly string[];
  /** Compounds that contain the word. */
  compounds: readonly CompoundTerm[];
  weight: number;
  /** Words of the term of which this one is another spelling. */
  readonly alternativeTo: readonly string[] | undefined;
}

/** A word of the query that no chunk contains, so that it may be misspelled. */
export interface UnknownWord {
  readonly word: string;
  readonly stem: string;
  readonly weight: number;
}

/** The words of a query, without subwords of compounds. */
export interface QueryWords {
  /** Number of words that were looked up. */
  readonly count: number;
  readonly unknown: readonly UnknownWord[];
  /** Words that were ignored because the query has too many frequent ones, the most frequent first. */
  readonly ignored: readonly string[];
}

/**
 * Adds the BM25 score of every term to the chunks that contain it.
 *
 * @param options.maxPostings Maximum number of postings to read; the most frequent words beyond it are ignored.
 */
export function addTermScores(
  terms: readonly QueryTerm[],
  { reader, scores, maxPostings = MAX_POSTINGS }: {
    readonly reader: PostingsReader;
    readonly scores: ScoreAccumulator;
    readonly maxPostings?: number | undefined;
  },
): QueryWords {
  const stemmed = stemTerms(terms, reader);
  const words = stemmed.filter(({ stems }) => stems.length === 1);
  const { postings, ignored } = readPostings(stemmed, reader, maxPostings);
  const { used, replaced } = findSpellings(stemmed, postings, reader);
  const add = (found: Postings, weight: number) => scores.add(found, weight * reader.idf(found));
  let phrases = 0;
  for (const term of stemmed) {
    const { stems, words: phrase, weight, alternativeTo } = term;
    if (stems.length === 1 || replaced.has(term)) continue;
    const frequencies = stems.map((stem) => (postings.get(stem) ?? NO_POSTINGS).count);
    if (!frequencies.includes(0) && ++phrases > MAX_PHRASES) continue;
    const found = frequencies.includes(0) ? NO_POSTINGS : reader.phrase(phrase);
    if (!found) continue;
    const idfOfWords = stems.reduce((sum, stem) => sum + reader.idf(postings.get(stem) ?? NO_POSTINGS), 0);
    const idf = compoundIdf(reader.idf(found), idfOfWords);
    if (alternativeTo && !used.has(term)) {
      scores.addAlternative(found, weight * idf);
      continue;
    }
    scores.add(found, (alternativeTo ? ALTERNATIVE_WEIGHT : weight) * idf);
    // No chunk contains the compound, so its words count more.
    if (found.count === 0) {
      for (const word of words) {
        if (stems.includes(word.stems[0] ?? "")) {
          word.weight += weight * (LONE_SUBWORD_WEIGHT - SUBWORD_WEIGHT);
        }
      }
    }
  }
  const unknown: UnknownWord[] = [];
  let count = 0;
  for (const term of words) {
    const { stems: [stem = ""], words: [word = ""], forms, compounds, weight, alternativeTo } = term;
    const found = postings.get(stem);
    if (!found || replaced.has(term)) continue;
    if (alternativeTo) {
      if (used.has(term)) add(found, ALTERNATIVE_WEIGHT);
      else scores.addAlternative(found, weight * reader.idf(found));
      continue;
    }
    const derived = [
      ...forms.map((term) => {
        const isLoose = isLooseTerm(term);
        return { term, isLoose, weight: isLoose ? LOOSE_FORM_WEIGHT : FORM_WEIGHT };
      }),
      ...compounds.map((compound) => ({ ...compound, isLoose: true })),
    ]
      .map(({ term, ...form }) => ({ postings: postings.get(term) ?? NO_POSTINGS, ...form }))
      .filter(({ postings: { count } }) => count > 0);
    if (derived.length === 0) add(found, weight);
    else {
      scores.addBest(found, derived, (documentFrequency) => weight * reader.idfOf(documentFrequency));
    }
    if (weight < 1) continue;
    count++;
    if (found.count + derived.length === 0) unknown.push({ word, stem, weight });
  }
  return { count, unknown, ignored };
}

/**
 * Limits the inverse document frequency of a compound by that of its words. A rare combination of common words
 * in a title would outrank chunks about the rest of the query. Words such as those of "to-do" are so common
 * that half of the compound's own is the least.
 */
function compoundIdf(idf: number, idfOfWords: number): number {
  return Math.min(idf, Math.max(idf / 2, (1 - SUBWORD_WEIGHT) * idfOfWords));
}

/**
 * Returns the spellings to use instead of what was typed, and the terms that they replace: no chunk contains these, which
 * would make a chunk with the other spelling a match of a small part of the query.
 */
function findSpellings(
  terms: readonly StemmedTerm[],
  postings: ReadonlyMap<string, Postings>,
  reader: PostingsReader,
): { readonly used: ReadonlySet<StemmedTerm>; readonly replaced: ReadonlySet<StemmedTerm> } {
  const used = new Set<StemmedTerm>();
  const replaced = new Set<StemmedTerm>();
  const isFound = ({ stems: [stem = "", ...others], words }: StemmedTerm) => {
    const hasAll = [stem, ...others].every((each) => (postings.get(each)?.count ?? 0) > 0);
    return hasAll && (others.length === 0 || (reader.phrase(words)?.count ?? 0) > 0);
  };
  const spellings = terms.filter(({ alternativeTo }) => alternativeTo).slice(0, MAX_PHRASES);
  for (const spelling of spellings) {
    const { alternativeTo: typed = [] } = spelling;
    const key = typed.join(" ");
    const term = terms.find(({ words }) => words.join(" ") === key);
    if ((term && isFound(term)) || !isFound(spelling)) continue;
    used.add(spelling);
    if (term) replaced.add(term);
    const subwords = terms.filter(({ words, weight }) =>
      words.length === 1 && weight < 1 && typed.includes(words[0] ?? "")
    );
    for (const subword of subwords) if (!isFound(subword)) replaced.add(subword);
  }
  return { used, replaced };
}

/** Reads the posting lists of all stems: the rarest first, up to a number of postings. */
function readPostings(
  terms: readonly StemmedTerm[],
  reader: PostingsReader,
  maxPostings: number,
): { readonly postings: Map<string, Postings>; readonly ignored: string[] } {
  const stems = terms.flatMap(({ stems, forms, compounds }) =>
    stems.length === 1 ? [...stems, ...forms, ...compounds.map(({ term }) => term)] : stems
  );
  const estimates = [...reader.estimate(stems)].sort(([, a], [, b]) => a - b);
  const postings = new Map<string, Postings>();
  const cut = new Set<string>();
  let total = 0;
  for (const [stem, estimate] of estimates) {
    total += estimate;
    if (total > maxPostings && postings.size > 0) cut.add(stem);
    else postings.set(stem, reader.term(stem));
  }
  const ignored = terms.filter(({ stems }) => stems.length === 1 && cut.has(stems[0] as string));
  return { postings, ignored: [...new Set(ignored.map(({ words }) => words[0] as string))] };
}

function stemTerms(terms: readonly QueryTerm[], reader: PostingsReader): StemmedTerm[] {
  const allStems = stemsOf(terms.flatMap(({ words }) => words));
  const stemmed = new Map<string, StemmedTerm>();
  const prefixes: (readonly CompoundPrefixes[])[] = [];
  let at = 0;
  for (const { words, weight, forms = [], compounds = [], alternativeTo } of terms) {
    const stems = allStems.slice(at, at += words.length).flat();
    const key = stems.join(" ");
    const known = stemmed.get(key);
    if (known) {
      known.weight += weight;
      known.forms = [...new Set([...known.forms, ...forms])];
    } else if (stems.length > 0) {
      stemmed.set(key, { stems, words, forms, compounds: [], weight, alternativeTo });
      prefixes.push(compounds);
    }
  }
  const compounds = expandCompounds(prefixes, reader);
  [...stemmed.values()].forEach((term, index) => term.compounds = compounds[index] ?? []);
  return [...stemmed.values()];
}
