import type { Correction } from "../../search/mod.ts";
import { editDistance } from "../../../text/mod.ts";
import type { PostingsReader } from "../index/mod.ts";
import type { QueryWords } from "./term_scores.ts";

/** Shorter words have too many similar terms; longer ones are not words. */
const MIN_LENGTH = 4;
const MAX_LENGTH = 32;
/** Minimum length of a word with two edits; a shorter one may have one. */
const MIN_LENGTH_FOR_TWO_EDITS = 8;
/** Maximum number of corrected words of a query. */
const MAX_CORRECTIONS = 4;
/** Shorter prefixes match too many terms. */
const MIN_PREFIX_LENGTH = 5;
/** A search with fewer matches is corrected. */
const FEW_MATCHES = 10;
/** Weight of a corrected word relative to the word as typed. */
const CORRECTION_WEIGHT = 0.5;

/** Only words of letters are corrected: numbers and codes have no similar spelling. */
const LETTERS = /^\p{L}+$/u;

/**
 * Finds spelling corrections of unknown words, if the search has few matches or a third of its words are
 * unknown. A single unknown name in a long question is not corrected.
 *
 * @param options.matches Number of chunks that contain other words of the query.
 */
export function findCorrections(
  { count, unknown }: QueryWords,
  { matches, reader }: { readonly matches: number; readonly reader: PostingsReader },
): Correction[] {
  if (matches >= FEW_MATCHES && unknown.length * 3 < count) return [];
  return unknown.slice(0, MAX_CORRECTIONS).flatMap(({ word, stem, weight }) => {
    const term = nearestTerm(stem, reader, 1) ?? longestPrefixTerm(word, reader) ??
      extendedTerm(word, reader) ??
      nearestTerm(stem, reader, 2);
    return term === undefined ? [] : [{ word, term, weight: weight * CORRECTION_WEIGHT }];
  });
}

/**
 * Returns the index term at the smallest edit distance, the most frequent of several. Considers terms with
 * the same first letter only, which is a small part of the index: the first letter is rarely wrong.
 *
 * @param maxEdits Maximum edit distance; 1 for short words.
 */
function nearestTerm(stem: string, reader: PostingsReader, maxEdits: number): string | undefined {
  const letters = [...stem];
  if (letters.length < MIN_LENGTH || letters.length > MAX_LENGTH || !LETTERS.test(stem)) return undefined;
  const limit = Math.min(maxEdits, letters.length >= MIN_LENGTH_FOR_TWO_EDITS ? 2 : 1);
  const candidates = reader.similarTerms(stem, limit)
    .filter((term) => LETTERS.test(term))
    .map((term) => ({ term, distance: editDistance(letters, [...term], limit) }));
  const minDistance = Math.min(...candidates.map(({ distance }) => distance));
  if (minDistance > limit) return undefined;
  const nearest = candidates.filter(({ distance }) => distance === minDistance);
  return mostFrequent(nearest.map(({ term }) => term), reader);
}

/**
 * Returns the longest index term that is a prefix of a word and more than half of it. A word with a mistake
 * in its ending ("relevacne") is not stemmed, so that it is far from its index term ("relev"). The prefix may
 * be the whole word: "embed" has the stem "emb", but "embedding" the stem "embed".
 */
function longestPrefixTerm(word: string, reader: PostingsReader): string | undefined {
  const letters = [...word];
  if (letters.length > MAX_LENGTH || !LETTERS.test(word)) return undefined;
  const minLength = Math.max(MIN_PREFIX_LENGTH, Math.floor(letters.length / 2) + 1);
  for (let length = letters.length; length >= minLength; length--) {
    const term = letters.slice(0, length).join("");
    if (reader.term(term).ids.length > 0) return term;
  }
  return undefined;
}

/**
 * Returns the most frequent term with a word as prefix, such as the hash of which seven digits were typed.
 */
function extendedTerm(word: string, reader: PostingsReader): string | undefined {
  if (word.length < MIN_PREFIX_LENGTH || word.length > MAX_LENGTH) return undefined;
  return mostFrequent(reader.termsWithPrefix(word), reader);
}

/** Returns the term with the highest document frequency, or undefined if no chunk contains any of them. */
function mostFrequent(terms: readonly string[], reader: PostingsReader): string | undefined {
  return terms
    .map((term) => ({ term, documentFrequency: reader.term(term).ids.length }))
    .filter(({ documentFrequency }) => documentFrequency > 0)
    .sort((a, b) =>
      b.documentFrequency - a.documentFrequency || b.term.length - a.term.length || (a.term < b.term ? -1 : 1)
    )[0]?.term;
}
