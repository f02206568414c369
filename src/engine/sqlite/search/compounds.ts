import type { CompoundPrefixes } from "../../../analysis/mod.ts";
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

/** Returns the derived terms of compounds in the index, by their prefixes. */
export function compoundsWith(prefixes: readonly CompoundPrefixes[], reader: PostingsReader): CompoundTerm[] {
  return prefixes.flatMap(({ tail, head }) => [
    ...expand(tail, reader).map((term) => ({ term, weight: TAIL_WEIGHT })),
    ...expand(head, reader).map((term) => ({ term, weight: HEAD_WEIGHT })),
  ]);
}

function expand(prefix: string | undefined, reader: PostingsReader): string[] {
  if (prefix === undefined) return [];
  return reader.derivedTerms(prefix)
    .filter(({ length }) => length >= prefix.length + MIN_REST_CHARS)
    .sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
    .slice(0, MAX_COMPOUNDS);
}
