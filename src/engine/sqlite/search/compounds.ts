import { type CompoundPrefixes, prefixesOf } from "../../../analysis/mod.ts";
import type { PostingsReader } from "../index/mod.ts";

/** The derived term of a compound that contains a word of the query. */
export interface CompoundTerm {
  readonly term: string;
  /** Weight relative to the word as typed. */
  readonly weight: number;
}

/** The tail of a compound says what it is: a database server is a server. */
const TAIL_WEIGHT = 0.5;
/** The head only says what it is about. */
const HEAD_WEIGHT = 0.3;
/** Minimum number of letters of the rest of a compound; fewer are a prefix or an ending. */
const MIN_REST_CHARS = 3;
/** Maximum number of compounds of a word, at its head and at its tail: the shortest ones. */
const MAX_COMPOUNDS = 24;

/** Maximum number of terms with a prefix among which the shortest are found. */
const MAX_SCANNED = 2000;
/** Maximum number of terms that the prefixes of a query scan, about 20 ms; the last words of a long query get none. */
const MAX_SCANNED_PER_QUERY = 6000;
/** Maximum number of prefixes of a query: 16 words in each of the six languages with compounds. */
const MAX_PREFIXES_PER_QUERY = 192;
/** Maximum number of compounds of a query. Each one is a posting list to read. */
const MAX_COMPOUNDS_PER_QUERY = 400;

/** Limits of all look-ups of prefixes. */
const LIMITS = { max: MAX_SCANNED, maxTotal: MAX_SCANNED_PER_QUERY };

/**
 * Returns whether the index contains derived terms with each prefix, as far as one query may find out.
 *
 * @param prefixes Prefixes of the derived terms of compounds.
 */
export function havePrefixes(prefixes: readonly string[], reader: PostingsReader): Map<string, boolean> {
  const checked = prefixes.slice(0, MAX_PREFIXES_PER_QUERY);
  const terms = checked.length === 0 ? [] : reader.derivedTerms(checked, LIMITS);
  const count = terms.reduce((sum, { length }) => sum + length, 0);
  const found = new Map<string, boolean>();
  for (const [index, prefix] of checked.entries()) {
    const hasTerms = (terms[index] as string[]).length > 0;
    // Beyond the limit, prefixes seem to have none.
    if (hasTerms || count < MAX_SCANNED_PER_QUERY) found.set(prefix, hasTerms);
  }
  return found;
}

/**
 * Finds the compounds of the words of a query. The work is bounded: a document of 100,000 distinct words with
 * the same tail or head would otherwise make every search for it take seconds.
 *
 * @param words Prefixes of the derived terms of each word.
 * @returns The derived terms of compounds in the index, for each word.
 */
export function expandCompounds(
  words: readonly (readonly CompoundPrefixes[])[],
  reader: PostingsReader,
): CompoundTerm[][] {
  const prefixes = words.flat().flatMap(prefixesOf).slice(0, MAX_PREFIXES_PER_QUERY);
  if (prefixes.length === 0) return words.map(() => []);
  const terms = reader.derivedTerms(prefixes, LIMITS);
  const found = new Map(prefixes.map((prefix, index) => [prefix, terms[index] ?? []]));
  let count = 0;
  const expand = (prefix: string | undefined, weight: number): CompoundTerm[] => {
    if (prefix === undefined || count >= MAX_COMPOUNDS_PER_QUERY) return [];
    const compounds = (found.get(prefix) ?? []).filter(({ length }) =>
      length >= prefix.length + MIN_REST_CHARS
    )
      .sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
      .slice(0, MAX_COMPOUNDS);
    count += compounds.length;
    return compounds.map((term) => ({ term, weight }));
  };
  return words.map((each) =>
    each.flatMap(({ tail, head }) => [...expand(tail, TAIL_WEIGHT), ...expand(head, HEAD_WEIGHT)])
  );
}
