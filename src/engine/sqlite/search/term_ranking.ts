import { type ParsedQuery, type TermRanking, wordsOf } from "../../search/mod.ts";
import { isFrequentWord, quoteText } from "../../../text/mod.ts";
import type { PostingsReader, ScoreAccumulator } from "../index/mod.ts";
import type { ChunkTexts } from "./chunk_texts.ts";
import { boostExactMatches } from "./exact_matches.ts";
import { findCorrections } from "./spelling_correction.ts";
import { addTermScores, type QueryWords } from "./term_scores.ts";
import { boostWholeQuery } from "./whole_query.ts";

/** Options of {@linkcode rankByTerms}. */
export interface TermRankingOptions {
  /** Texts of the chunks. */
  readonly texts: ChunkTexts;
  readonly reader: PostingsReader;
  readonly scores: ScoreAccumulator;
  /** Tests whether a chunk may be a result. Unset: all may. */
  readonly isAllowed?: ((chunk: number) => boolean) | undefined;
  /** Maximum number of postings to read. @default {1_500_000} */
  readonly maxPostings?: number;
  /** Throws if the search should end. */
  readonly checkpoint?: (() => void) | undefined;
}

/** Ranks the chunks that contain terms of a query, or spelling corrections of them. */
export function rankByTerms(
  query: ParsedQuery,
  options: TermRankingOptions,
): TermRanking {
  const { reader, scores, checkpoint } = options;
  reader.checkpoint = checkpoint;
  try {
    return rank(query, options);
  } finally {
    reader.checkpoint = undefined;
    // Scores that an interrupted search leaves would be added to those of the next one.
    scores.reset();
  }
}

function rank(
  query: ParsedQuery,
  { texts, reader, scores, isAllowed, maxPostings }: TermRankingOptions,
): TermRanking {
  const words = addTermScores(query.terms, { reader, scores, maxPostings });
  const typedWeight = scores.totalWeight;
  const corrections = words.unknown.length === 0
    ? []
    : findCorrections(words, { hasMatches: (count) => scores.hasAtLeast(count), reader });
  const correctedWeights = new Map<string, number>();
  for (const { word, term, weight } of corrections) {
    const postings = reader.term(term);
    const termWeight = weight * reader.idf(postings);
    scores.add(postings, termWeight);
    correctedWeights.set(word, Math.max(termWeight, correctedWeights.get(word) ?? 0));
  }
  // The meaning of misspelled keywords is unknown, too: a chunk with the corrections matches the whole query.
  // The words of a question, which has stop words, may be right although no chunk contains them.
  const typedWords = query.text.match(/\S+/g)?.length ?? 0;
  const isAllCorrected = typedWords > 0 && correctedWeights.size === typedWords;
  const queryWeight = isAllCorrected ? sum(correctedWeights.values()) : typedWeight;
  const hits = scores.drain(isAllowed);
  boostWholeQuery(query, hits, { reader, queryWeight: typedWeight });
  const first = boostExactMatches(query, hits, { texts, reader, corrections });
  return {
    hits,
    first,
    corrections,
    unknownWords: remarkableWords(words, { text: query.text, corrected: correctedWeights }),
    queryWeight,
    rareWeight: reader.idfOf(1),
    warnings: warningsOf(words.ignored),
  };
}

/** Maximum number of unknown words that are remarkable: of a question to a small store, most words are unknown. */
const MAX_UNKNOWN = 2;

/**
 * Returns the words that no chunk contains, such as a name, although results with the other words look as if they were
 * about all of them. A frequent word says little, and one that was corrected is reported as such.
 */
function remarkableWords(
  { count, unknown }: Pick<QueryWords, "count" | "unknown">,
  { text, corrected }: { readonly text: string; readonly corrected: ReadonlyMap<string, number> },
): string[] {
  if (unknown.length === 0 || unknown.length * 2 >= count) return [];
  const words = unknown.map(({ word }) => word).filter((word) =>
    !corrected.has(word) && !isFrequentWord(word)
  );
  if (words.length === 0 || words.length > MAX_UNKNOWN) return [];
  const typed = typedWords(text);
  return words.flatMap((word) => typed.get(word) ?? []);
}

/** A word of a query with its accents and case, or a run of characters without spaces. */
const TYPED_WORD = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * Returns the words of a query as they were typed, by the words that were searched for. N-grams of longer runs of
 * characters are not words, nor are other names of a word (`cplusplus`).
 */
function typedWords(text: string): ReadonlyMap<string, string> {
  return new Map(Array.from(text.matchAll(TYPED_WORD), ([word]) => [wordsOf(word).join(""), word]));
}

/** Maximum number of ignored words that a warning names. */
const MAX_NAMED = 12;

function warningsOf(ignored: readonly string[]): string[] {
  if (ignored.length === 0) return [];
  const named = ignored.slice(0, MAX_NAMED).map((word) => quoteText(word)).join(", ");
  const others = ignored.length > MAX_NAMED ? ` and ${ignored.length - MAX_NAMED} others` : "";
  return [`Ignored the frequent words ${named}${others}: search for fewer or rarer words.`];
}

function sum(values: Iterable<number>): number {
  return Iterator.from(values).reduce((total, value) => total + value, 0);
}
