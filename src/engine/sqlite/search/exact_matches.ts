import { stems } from "../../../analysis/mod.ts";
import {
  byScore,
  type Correction,
  type Hits,
  type ParsedQuery,
  type ScoredChunk,
  topIndexes,
} from "../../search/mod.ts";
import type { PostingsReader } from "../index/mod.ts";
import type { ChunkText } from "./chunk_text.ts";
import type { ChunkTexts } from "./chunk_texts.ts";

/** Maximum number of top hits whose text is compared with the query: few users read further. */
const MAX_COMPARED_HITS = 30;
/** Boost of a chunk with all words of the query verbatim; from an ablation: docs/evaluation.md. */
const WORD_BOOST = 0.3;
/** Boost of a chunk with all identifiers such as `foo->bar`, of which the index stores only the words. */
const IDENTIFIER_BOOST = 1;

const NUMBER = /^[0-9]+$/;

/** Bits of all top hits. */
const ALL = -1;

/** A word that a chunk may contain. */
interface PossibleWord {
  readonly word: string;
  /** Bits of the top hits that may contain it, because they contain its stem. */
  readonly bits: number;
}

/** Words of which a chunk should contain one. */
interface Alternatives {
  readonly words: readonly PossibleWord[];
  readonly weight: number;
}

/** Options of {@linkcode boostExactMatches}. */
export interface ExactMatchOptions {
  readonly texts: ChunkTexts;
  readonly reader: PostingsReader;
  /** Spelling corrections: a chunk should contain a word that may have been meant. @default [] */
  readonly corrections?: readonly Correction[];
}

/**
 * Raises the scores of the top hits by the share of the query's words that they contain verbatim. The index
 * stores stems, and "university" and "universe" have the same one. The boost also favors chunks with all
 * words of the query over those that repeat one word.
 *
 * @param hits Changed in place.
 * @returns The top hits in order. Undefined if no scores changed.
 */
export function boostExactMatches(
  { terms, identifiers }: ParsedQuery,
  hits: Hits,
  { texts: chunkTexts, reader, corrections = [] }: ExactMatchOptions,
): ScoredChunk[] | undefined {
  const spellings = new Map(
    Array.from(
      Map.groupBy(corrections, ({ word }) => word),
      ([word, corrected]) => [word, corrected.flatMap((each) => each.spellings)] as const,
    ),
  );
  const words = terms.filter(({ words, weight }) => words.length === 1 && weight >= 1);
  if (words.length + identifiers.length === 0) return undefined;
  const top = topIndexes(hits, MAX_COMPARED_HITS);
  if (top.length < 2) return undefined;
  const topIds = top.map((index) => hits.ids[index] as number);
  // Looking for a word in a text without it takes longest.
  const alternatives = words.map(({ words, weight }): Alternatives => ({
    words: (spellings.get(words[0] ?? "") ?? words).map((word) => ({
      word,
      bits: bitsOf(word, topIds, reader),
    })),
    weight,
  }));
  const texts = chunkTexts.read(topIds);
  // Only now: reading posting lists may have moved the hits.
  const { scores } = hits;
  const boosted: ScoredChunk[] = [];
  const totalWeight = Math.max(1, words.reduce((sum, { weight }) => sum + weight, 0));
  for (let at = 0; at < top.length; at++) {
    const index = top[at] as number;
    const id = topIds[at] as number;
    const text = texts.get(id);
    if (text === undefined) continue;
    let matchedWeight = 0;
    for (const each of alternatives) if (containsOne(text, each, at)) matchedWeight += each.weight;
    let matchedIdentifiers = 0;
    for (const identifier of identifiers) if (text.contains(identifier)) matchedIdentifiers++;
    const boost = WORD_BOOST * matchedWeight / totalWeight +
      IDENTIFIER_BOOST * matchedIdentifiers / Math.max(1, identifiers.length);
    const score = (scores[index] as number) * (1 + boost);
    scores[index] = score;
    boosted.push({ id, score });
  }
  // Others have lower scores than the top hits had before. A text that cannot be read changes nothing.
  return boosted.length === top.length ? boosted.sort(byScore) : undefined;
}

/** Whether the text of a top hit contains one of some words. */
function containsOne(text: ChunkText, { words }: Alternatives, top: number): boolean {
  for (const { word, bits } of words) {
    if ((bits >>> top & 1) === 0 || !text.contains(word)) continue;
    // Another number: a part of one is a word to the index.
    if (!NUMBER.test(word) || !text.hasOnlyInDecimals(word)) return true;
  }
  return false;
}

/** Returns the bits of those of some chunks that may contain a word: all, unless they certainly do not contain its stem. */
function bitsOf(word: string, chunks: readonly number[], reader: PostingsReader): number {
  const [[stem, ...others] = []] = stems([word]);
  if (stem === undefined || others.length > 0) return ALL;
  // Of a query of many frequent words, most are not read, and looking for one in the texts is faster.
  if (!reader.isInMemory(stem)) return ALL;
  return reader.bitsOf(reader.term(stem), chunks);
}
