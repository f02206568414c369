import type { Correction } from "../../search/mod.ts";
import { isStopWord, normalizeForSearch, stemsOfCandidates } from "../../../analysis/mod.ts";
import { GenerationCache } from "../../../data_structures/mod.ts";
import { editDistance, isFrequentWord, singleEdits } from "../../../text/mod.ts";
import type { PostingsReader } from "../index/mod.ts";
import type { QueryWords } from "./term_scores.ts";

/** Shorter words have too many similar terms; longer ones are not words. */
const MIN_LENGTH = 4;
const MAX_LENGTH = 32;
/**
 * Maximum number of edits of a word, about 5 ms. A word of 32 letters has 1,700 in Latin script; one with letters
 * of many scripts would have 200,000.
 */
const MAX_EDITS = 4000;
/** Number of letters that the cached part of the vocabulary shares; other terms are slower to look up. */
const KNOWN_PREFIX_LENGTH = 2;
/** Minimum length of a word whose first letters are assumed to be right if there is a correction of others. */
const MIN_LENGTH_WITHOUT_NEIGHBORS = 7;
/** Minimum length of the stem of a correction. */
const MIN_TERM_LENGTH = 3;
/** Minimum length of a word with two edits; a shorter one may have one. */
const MIN_LENGTH_FOR_TWO_EDITS = 8;
/**
 * Maximum length of the stem of a frequent word in which no letter is substituted: that makes another word most of the
 * time ("feelings" and "feedings", "warm" and "farm").
 */
const MAX_KEPT_STEM_LENGTH = 5;
/** Maximum number of corrected words of a query. */
const MAX_CORRECTIONS = 4;
/** Maximum number of corrections of a word, all at edit distance 1. */
const MAX_CANDIDATES = 8;
/**
 * Maximum number of terms whose frequencies are compared, about 10 ms. A document of distinct words with the same
 * beginning has 100,000.
 */
const MAX_COMPARED = 256;
/** Number of code points in half a page of Unicode, which holds the lower-case letters of a script. */
const BLOCK_SIZE = 128;
/** Shorter prefixes match too many terms. */
const MIN_PREFIX_LENGTH = 5;
/** A search with fewer matches is corrected. */
const FEW_MATCHES = 10;
/** Weight of a corrected word relative to the word as typed. */
const CORRECTION_WEIGHT = 0.5;

/** Only words of letters are corrected: numbers and codes have no similar spelling. */
const LETTERS = /^[\p{L}\p{M}]+$/u;
/** A Greek letter in a Latin word, such as `pkcζ`, is a symbol. */
const HAS_GREEK_SYMBOL = /[a-z][α-ω]|[α-ω][a-z]/;

/**
 * Finds spelling corrections of unknown words, if the search has few matches or a third of its words are
 * unknown. A single unknown name in a long question is not corrected.
 *
 * @param options.hasMatches Whether at least a number of chunks contain other words of the query.
 */
export function findCorrections(
  { count, unknown }: Pick<QueryWords, "count" | "unknown">,
  { hasMatches, reader }: {
    readonly hasMatches: (count: number) => boolean;
    readonly reader: PostingsReader;
  },
): Correction[] {
  if (unknown.length * 3 < count && hasMatches(FEW_MATCHES)) return [];
  const known = knownReplacements(reader);
  return unknown.slice(0, MAX_CORRECTIONS).flatMap(({ word, stem, weight }) =>
    known(word, stem)
      .map((replacement) => ({ word, ...replacement, weight: weight * CORRECTION_WEIGHT }))
  );
}

/** An index term to use instead of a word. */
type Replacement = Pick<Correction, "term" | "spellings">;

/** Maximum number of words whose replacements are kept: less than a megabyte. */
const MAX_KEPT = 2048;

/** Replacements by word and stem, of one version of the database. */
interface KnownReplacements {
  readonly version: string;
  readonly replacements: GenerationCache<string, readonly Replacement[]>;
}

const replacementsOfReaders = new WeakMap<PostingsReader, KnownReplacements>();

/**
 * Returns a function like {@linkcode replacementsOf} that keeps what it has found until the next commit: the searches for
 * a subject repeat the names that a small store does not have, and each takes hundreds of candidates.
 */
function knownReplacements(reader: PostingsReader): (word: string, stem: string) => readonly Replacement[] {
  const { version } = reader;
  let known = replacementsOfReaders.get(reader);
  if (known?.version !== version) {
    known = { version, replacements: new GenerationCache(MAX_KEPT) };
    replacementsOfReaders.set(reader, known);
  }
  const { replacements } = known;
  return (word, stem) => {
    // Longer words have no replacement, which takes no search.
    if (word.length > 2 * MAX_LENGTH) return replacementsOf(word, stem, reader);
    const key = `${word} ${stem}`;
    let found = replacements.get(key);
    if (!found) replacements.set(key, found = replacementsOf(word, stem, reader));
    return found;
  };
}

/** Returns the terms to use instead of a word, the most frequent first. */
function replacementsOf(word: string, stem: string, reader: PostingsReader): Replacement[] {
  const isKept = [...stem].length <= MAX_KEPT_STEM_LENGTH && isFrequentWord(word);
  const all = termsAtOneEdit(word, reader);
  const near = isKept ? withoutSubstitutions(all, word) : all;
  if (near.length > 0) return near.slice(0, MAX_CANDIDATES);
  const similar = (maxEdits: number) => isKept ? undefined : nearestTerm(stem, reader, maxEdits);
  const term = similar(1) ?? longestPrefixTerm(word, reader) ?? extendedTerm(word, reader) ?? similar(2);
  return term === undefined ? [] : [{ term, spellings: [] }];
}

/** Returns the replacements with spellings in which no letter of a word is substituted. */
function withoutSubstitutions(replacements: readonly Replacement[], word: string): Replacement[] {
  const sorted = (text: string) => [...text].sort().join("");
  const letters = sorted(word);
  const hasLetters = (spelling: string) => spelling.length !== word.length || sorted(spelling) === letters;
  return replacements
    .map(({ term, spellings }) => ({ term, spellings: spellings.filter(hasLetters) }))
    .filter(({ spellings }) => spellings.length > 0);
}

/**
 * Returns the index terms of the words at edit distance 1, as a symmetric-delete index would (Garbe 2012)
 * but without one: the few hundred candidates are stemmed and looked up. The whole word is edited, not its
 * stem, because a mistake in the ending prevents stemming ("generalizatoin").
 */
function termsAtOneEdit(word: string, reader: PostingsReader): Replacement[] {
  if (!isCorrectable(word)) return [];
  const letters = lettersLike(word);
  if (2 * letters.length * word.length > MAX_EDITS) return [];
  const ofEnding = existingTermsOf(singleEdits(word, letters, { start: KNOWN_PREFIX_LENGTH }), word, reader);
  // Among long words, few others are as similar, and the first letters are rarely wrong.
  const isLikely = ofEnding.length > 0 && word.length >= MIN_LENGTH_WITHOUT_NEIGHBORS;
  const ofBeginning = isLikely
    ? []
    : existingTermsOf(singleEdits(word, letters, { end: KNOWN_PREFIX_LENGTH }), word, reader);
  const spellings = new Map<string, string[]>();
  for (const { term, spelling } of [...ofEnding, ...ofBeginning]) {
    const known = spellings.get(term);
    if (known) known.push(spelling);
    else spellings.set(term, [spelling]);
  }
  return byFrequency([...spellings.keys()], reader)
    .map((term) => ({ term, spellings: spellings.get(term) ?? [] }));
}

/** Returns the edits of a word whose term may be in the index. */
function existingTermsOf(
  edits: readonly string[],
  word: string,
  reader: PostingsReader,
): { readonly term: string; readonly spelling: string }[] {
  const terms = stemsOfCandidates(edits);
  const existing = reader.existingTerms(word, terms.filter(({ length }) => length >= MIN_TERM_LENGTH));
  if (existing.size === 0) return [];
  const found: { readonly term: string; readonly spelling: string }[] = [];
  for (const [index, term] of terms.entries()) {
    const spelling = edits[index] as string;
    // Hardly any candidate exists: whether it is a stop word is looked up last.
    if (existing.has(term) && !isStopWord(term) && !isStopWord(spelling)) found.push({ term, spelling });
  }
  return found;
}

/** Letters of the Unicode blocks that have been used, by their first code point. */
const alphabets = new Map<number, readonly string[]>();

/** Returns the lower-case letters and marks of the Unicode blocks of a word's letters. */
function lettersLike(word: string): string[] {
  const blocks = new Set(Array.from(word, (letter) => (letter.codePointAt(0) ?? 0) & ~(BLOCK_SIZE - 1)));
  return [...blocks].flatMap((start) => {
    const known = alphabets.get(start);
    if (known) return known;
    const letters = Array.from({ length: BLOCK_SIZE }, (_, index) => String.fromCodePoint(start + index))
      .filter((letter) => LETTERS.test(letter) && normalizeForSearch(letter).toLowerCase() === letter);
    alphabets.set(start, letters);
    return letters;
  });
}

function isCorrectable(word: string): boolean {
  const { length } = [...word];
  return length >= MIN_LENGTH && length <= MAX_LENGTH && LETTERS.test(word) &&
    !HAS_GREEK_SYMBOL.test(word);
}

/**
 * Returns the index term at the smallest edit distance, the most frequent of several. Considers terms with
 * the same first letters only, which is a small part of the index.
 *
 * @param maxEdits Maximum edit distance; 1 for short words.
 */
function nearestTerm(stem: string, reader: PostingsReader, maxEdits: number): string | undefined {
  if (!isCorrectable(stem)) return undefined;
  const letters = [...stem];
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
    if (reader.term(term).count > 0) return term;
  }
  return undefined;
}

/**
 * Returns the most frequent term with a word as prefix, such as the hash of which seven digits were typed.
 */
function extendedTerm(word: string, reader: PostingsReader): string | undefined {
  if (word.length < MIN_PREFIX_LENGTH || word.length > MAX_LENGTH) return undefined;
  return mostFrequent(reader.termsWithPrefix(word, MAX_COMPARED), reader);
}

/** Returns the term with the highest document frequency, or undefined if no chunk contains any of them. */
function mostFrequent(terms: readonly string[], reader: PostingsReader): string | undefined {
  return byFrequency(terms, reader)[0];
}

/** Returns those of the first terms that chunks contain, those with the highest document frequency first. */
function byFrequency(terms: readonly string[], reader: PostingsReader): string[] {
  const compared = terms.slice(0, MAX_COMPARED);
  // Locates all at once.
  reader.estimate(compared);
  return compared.map((term) => ({ term, documentFrequency: reader.term(term).count }))
    .filter(({ documentFrequency }) => documentFrequency > 0)
    .sort((a, b) =>
      b.documentFrequency - a.documentFrequency || b.term.length - a.term.length || (a.term < b.term ? -1 : 1)
    )
    .map(({ term }) => term);
}
