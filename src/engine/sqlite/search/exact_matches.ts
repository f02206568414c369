import { WORD_CHARACTERS } from "../../../analysis/mod.ts";
import {
  byScore,
  type Correction,
  type Hits,
  type ParsedQuery,
  type ScoredChunk,
  topHits,
} from "../../search/mod.ts";
import type { ChunkText, ChunkTexts } from "./chunk_texts.ts";

/** Maximum number of top hits whose text is compared with the query: few users read further. */
const MAX_COMPARED_HITS = 30;
/** Boost of a chunk with all words of the query verbatim; from an ablation: docs/evaluation.md. */
const WORD_BOOST = 0.3;
/** Boost of a chunk with all identifiers such as `foo->bar`, of which the index stores only the words. */
const IDENTIFIER_BOOST = 1;

/** Words of which a chunk should contain one. */
interface Alternatives {
  readonly words: readonly string[];
  readonly weight: number;
}

const WORD_CHARACTER = new RegExp(`[${WORD_CHARACTERS}]`, "u");

/**
 * Raises the scores of the top hits by the share of the query's words that they contain verbatim. The index
 * stores stems, and "university" and "universe" have the same one. The boost also favors chunks with all
 * words of the query over those that repeat one word.
 *
 * @param hits Changed in place.
 * @param corrections Spelling corrections: a chunk should contain a word that may have been meant.
 * @returns The top hits in order. Undefined if no scores changed.
 */
export function boostExactMatches(
  chunkTexts: ChunkTexts,
  { terms, identifiers }: ParsedQuery,
  { ids, scores }: Hits,
  corrections: readonly Correction[] = [],
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
  const top = topHits({ ids, scores }, MAX_COMPARED_HITS);
  if (top.length < 2) return undefined;
  const texts = chunkTexts.read(top.map(({ id }) => id));
  const minScore = top.at(-1)?.score ?? 0;
  const boosted: ScoredChunk[] = [];
  const totalWeight = Math.max(1, words.reduce((sum, { weight }) => sum + weight, 0));
  for (let i = 0; i < ids.length; i++) {
    const score = scores[i] as number;
    if (score < minScore) continue;
    const id = ids[i] as number;
    const text = texts.get(id);
    if (text === undefined) continue;
    const matchedWeight = words.reduce(
      (sum, { words, weight }) => sum + (words.some((word) => hasWord(text, word)) ? weight : 0),
      0,
    );
    const matchedIdentifiers = identifiers.filter((identifier) => hasWord(text, identifier)).length;
    const boost = WORD_BOOST * matchedWeight / totalWeight +
      IDENTIFIER_BOOST * matchedIdentifiers / Math.max(1, identifiers.length);
    scores[i] = score * (1 + boost);
    boosted.push({ id, score: score * (1 + boost) });
  }
  // Others have lower scores than the top hits had before. A text that cannot be read changes nothing.
  return boosted.length === top.length ? boosted.sort(byScore) : undefined;
}

function hasWord({ headings, body }: ChunkText, word: string): boolean {
  return containsWord(body, word) || containsWord(headings, word);
}

/** Whether a text contains a whole word. */
function containsWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!isWordCharacter(text, at - 1) && !isWordCharacter(text, at + word.length)) return true;
  }
  return false;
}

function isWordCharacter(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  if (code < 128) return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
  return WORD_CHARACTER.test(text[offset] ?? "");
}
