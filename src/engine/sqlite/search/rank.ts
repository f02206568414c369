import { NO_POSTINGS, type Postings, type PostingsReader, type ScoreAccumulator } from "../index/mod.ts";
import { LONE_PART_WEIGHT, PART_WEIGHT, type Unit } from "../../search/mod.ts";
import { stems as stemsOf } from "../../../analysis/mod.ts";

/**
 * Entries of the index that the words of a query may read, all together: about 50 ms. A question reads that many in
 * a million chunks; of a page of text, the words at its end are left out.
 */
const MAX_ENTRIES = 3_000_000;
/** And its phrases, which FTS5 finds by going through the places of their words. */
const MAX_PHRASE_ENTRIES = 1_000_000;

/** A word or phrase as the index has it. Words with the same stem are one. */
interface Term {
  readonly stems: readonly string[];
  readonly words: readonly string[];
  weight: number;
}

/** A word of the query that no chunk has: it may be misspelled. */
export interface MissingWord {
  readonly word: string;
  /** What the index would have for it. */
  readonly stem: string;
  readonly weight: number;
}

/** What became of a query's own words, parts of compounds aside. */
export interface RankedWords {
  readonly count: number;
  readonly missing: readonly MissingWord[];
}

/**
 * ScoreAccumulator every chunk that has any of the units: the sum over units, as BM25 has it.
 */
export function rank(units: readonly Unit[], reader: PostingsReader, scores: ScoreAccumulator): RankedWords {
  const terms = termsOf(units);
  const words = terms.filter(({ stems }) => stems.length === 1);
  let entries = 0;
  const read = new Map<string, Postings>();
  for (const stem of new Set(terms.flatMap(({ stems }) => stems))) {
    if (entries > MAX_ENTRIES) break;
    const postings = reader.term(stem);
    entries += postings.ids.length;
    read.set(stem, postings);
  }
  const add = (postings: Postings, weight: number) => scores.add(postings, weight * reader.idf(postings));
  let phraseEntries = 0;
  for (const { stems, words: phrase, weight } of terms) {
    if (stems.length === 1) continue;
    const each = stems.map((stem) => (read.get(stem) ?? NO_POSTINGS).ids.length);
    const cost = each.reduce((sum, n) => sum + n, 0);
    if (phraseEntries + cost > MAX_PHRASE_ENTRIES) continue;
    const found = each.includes(0) ? NO_POSTINGS : reader.phrase(phrase);
    if (found !== NO_POSTINGS) phraseEntries += cost;
    add(found, weight);
    // Nobody writes it like that: then its words are all there is to go by.
    if (found.ids.length === 0) {
      for (const word of words) {
        if (stems.includes(word.stems[0] ?? "")) word.weight += weight * (LONE_PART_WEIGHT - PART_WEIGHT);
      }
    }
  }
  const missing: MissingWord[] = [];
  let count = 0;
  for (const { stems: [stem = ""], words: [word = ""], weight } of words) {
    const postings = read.get(stem);
    if (!postings) continue;
    add(postings, weight);
    if (weight < 1) continue;
    count++;
    if (postings.ids.length === 0) missing.push({ word, stem, weight });
  }
  return { count, missing };
}

function termsOf(units: readonly Unit[]): Term[] {
  const stemmed = stemsOf(units.flatMap((unit) => unit.words));
  const found = new Map<string, Term>();
  let at = 0;
  for (const { words, weight } of units) {
    const stems = stemmed.slice(at, at += words.length).flat();
    const key = stems.join(" ");
    const known = found.get(key);
    if (known) known.weight += weight;
    else if (stems.length > 0) found.set(key, { stems, words, weight });
  }
  return [...found.values()];
}
