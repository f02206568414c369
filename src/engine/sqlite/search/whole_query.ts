import { sortedIndexOf } from "../../../data_structures/mod.ts";
import { type Hits, type ParsedQuery, wordsOf } from "../../search/mod.ts";
import type { PostingsReader } from "../index/mod.ts";

/** Fewer words name a topic, of which a passage with these words in sequence need not say most. */
const MIN_WORDS = 4;
/** A longer query is hardly a quotation, and each word costs time. */
const MAX_WORDS = 40;
/**
 * Raises the scores of the chunks that contain the whole query in sequence, with its stop words: an agent that
 * searches for a sentence it has seen means that one, and not a long text that repeats its rarest word.
 *
 * @param hits In the order of their ids. Changed in place.
 * @param options.queryWeight Sum of the weights of the query's terms.
 */
export function boostWholeQuery(
  { text, terms, phrases }: ParsedQuery,
  { ids, scores }: Hits,
  { reader, queryWeight }: { readonly reader: PostingsReader; readonly queryWeight: number },
): void {
  if (phrases.length > 0 || ids.length < 2) return;
  const words = wordsOf(text);
  if (words.length < MIN_WORDS || words.length > MAX_WORDS) return;
  // A compound such as `real-time` is a term, and has its own weight.
  if (terms.some((term) => term.words.join(" ") === words.join(" "))) return;
  const found = reader.phrase(words);
  if (!found || found.count === 0) return;
  // Of a query of common words, only the sequence is rare.
  const boost = Math.max(queryWeight, reader.idf(found));
  for (const id of reader.idsOf(found)) {
    const index = sortedIndexOf(ids, id);
    if (index !== undefined) scores[index] = (scores[index] as number) + boost;
  }
}
