import type { DatabaseSync } from "node:sqlite";
import type { ParsedQuery, TermRanking } from "../../search/mod.ts";
import type { PostingsReader, ScoreAccumulator } from "../index/mod.ts";
import { boostExactMatches } from "./exact_matches.ts";
import { findCorrections } from "./spelling_correction.ts";
import { addTermScores } from "./term_scores.ts";

/** Options of {@linkcode rankByTerms}. */
export interface TermRankingOptions {
  readonly db: DatabaseSync;
  readonly reader: PostingsReader;
  readonly scores: ScoreAccumulator;
  /** Tests whether a chunk may be a result. */
  readonly isAllowed: (chunk: number) => boolean;
}

/** Ranks the chunks that contain terms of a query, or spelling corrections of them. */
export function rankByTerms(
  query: ParsedQuery,
  { db, reader, scores, isAllowed }: TermRankingOptions,
): TermRanking {
  const words = addTermScores(query.terms, reader, scores);
  const queryWeight = scores.totalWeight;
  const corrections = findCorrections(words, { matches: scores.count, reader });
  for (const { term, weight } of corrections) {
    const postings = reader.term(term);
    scores.add(postings, weight * reader.idf(postings));
  }
  const hits = scores.drain(isAllowed);
  boostExactMatches(db, query, hits, corrections);
  return { hits, corrections, queryWeight, rareWeight: reader.idfOf(1) };
}
