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
import type { ChunkTexts } from "./chunk_texts.ts";

/** Maximum number of top hits whose text is compared with the query: few users read further. */
const MAX_COMPARED_HITS = 30;
/** Boost of a chunk with all words of the query verbatim; from an ablation: docs/evaluation.md. */
const WORD_BOOST = 0.3;
/** Boost of a chunk with all identifiers such as `foo->bar`, of which the index stores only the words. */
const IDENTIFIER_BOOST = 1;

/**
 * Maximum number of chunks with a term that are compared with the top hits. Most hits have the frequent words of a
 * query, but looking for a word in a text without it takes longest.
 */
const MAX_COMPARED_POSTINGS = 4096;

/** Words of which a chunk should contain one. */
interface Alternatives {
  readonly words: readonly string[];
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
  const words: Alternatives[] = terms.filter(({ words, weight }) => words.length === 1 && weight >= 1)
    .map(({ words, weight }) => ({ words: spellings.get(words[0] ?? "") ?? words, weight }));
  if (words.length + identifiers.length === 0) return undefined;
  const top = topIndexes(hits, MAX_COMPARED_HITS);
  if (top.length < 2) return undefined;
  const { ids, scores } = hits;
  const topIds = top.map((index) => ids[index] as number);
  const texts = chunkTexts.read(topIds);
  const withoutWord = new Map(
    words.flatMap(({ words }) => words).map((word) =>
      [word, chunksWithoutWord(word, topIds, reader)] as const
    ),
  );
  const boosted: ScoredChunk[] = [];
  const totalWeight = Math.max(1, words.reduce((sum, { weight }) => sum + weight, 0));
  for (const index of top) {
    const score = scores[index] as number;
    const id = ids[index] as number;
    const text = texts.get(id);
    if (text === undefined) continue;
    const matchedWeight = words.reduce(
      (sum, { words, weight }) =>
        sum + (words.some((word) => !withoutWord.get(word)?.has(id) && text.contains(word)) ? weight : 0),
      0,
    );
    const matchedIdentifiers = identifiers.filter((identifier) => text.contains(identifier)).length;
    const boost = WORD_BOOST * matchedWeight / totalWeight +
      IDENTIFIER_BOOST * matchedIdentifiers / Math.max(1, identifiers.length);
    scores[index] = score * (1 + boost);
    boosted.push({ id, score: score * (1 + boost) });
  }
  // Others have lower scores than the top hits had before. A text that cannot be read changes nothing.
  return boosted.length === top.length ? boosted.sort(byScore) : undefined;
}

/** Returns those of some chunks that certainly do not contain a word, because they do not contain its stem. */
function chunksWithoutWord(
  word: string,
  chunks: readonly number[],
  reader: PostingsReader,
): ReadonlySet<number> | undefined {
  const [[stem, ...others] = []] = stems([word]);
  if (stem === undefined || others.length > 0) return undefined;
  if ((reader.estimate([stem]).get(stem) ?? 0) > MAX_COMPARED_POSTINGS) return undefined;
  const without = new Set(chunks);
  // A table for most ids, because a look-up in a set takes ten times as long.
  const isLowerPart = new Uint8Array(1024);
  for (const id of chunks) isLowerPart[id % isLowerPart.length] = 1;
  for (const id of reader.idsOf(reader.term(stem))) {
    if (isLowerPart[id % isLowerPart.length] === 1) without.delete(id);
  }
  return without;
}
