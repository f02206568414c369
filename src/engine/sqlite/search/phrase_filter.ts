import { stems as stemsOf } from "../../../analysis/mod.ts";
import { addId, type Bitset, bitset, hasId } from "../../../data_structures/mod.ts";
import type { ParsedQuery, Phrase } from "../../search/mod.ts";
import type { PostingsReader } from "../index/mod.ts";
import type { ChunkTexts } from "./chunk_texts.ts";
import { plainPhrase } from "./words_in_text.ts";

/**
 * Maximum number of chunks whose text is compared with a quoted phrase. A phrase in more chunks is matched by
 * stems only: `"the results"` matches "the result" too.
 */
const MAX_COMPARED = 2000;
/** Maximum number of chunks whose texts are in memory at once, with titles and headings. */
const MAX_READ_AT_ONCE = 64;

/** Chunks that the operators of a query allow. */
export interface PhraseFilter {
  /** Tests whether a chunk has the required phrases and no excluded one. Undefined: nothing to test. */
  readonly matches: ((chunk: number) => boolean) | undefined;
  /** Quoted phrases that no allowed chunk contains, and that are not required therefore. */
  readonly missing: readonly Phrase[];
  /** Quoted phrases and exclusions of words that are too frequent to compare their positions. */
  readonly unchecked: readonly Phrase[];
}

/**
 * Evaluates the quoted phrases and exclusions of a query.
 *
 * The index finds the stems of a quoted phrase, and the text then has to contain it verbatim: `"running"`
 * does not match "runs". An exclusion matches by stems, so that it excludes every form of a word. A phrase that
 * occurs nowhere is often the title of something that the texts describe in other words, so that it does not
 * rule out every chunk.
 *
 * @param options.isAllowed Tests whether the other filters allow a chunk. Undefined: all.
 * @param options.checkpoint Throws if the search should end.
 */
export function phraseFilter(
  query: ParsedQuery,
  { texts, reader, isAllowed = () => true, checkpoint }: {
    /** Texts of the chunks. */
    readonly texts: ChunkTexts;
    readonly reader: PostingsReader;
    readonly isAllowed?: ((chunk: number) => boolean) | undefined;
    readonly checkpoint?: (() => void) | undefined;
  },
): PhraseFilter {
  reader.checkpoint = checkpoint;
  try {
    return filterOf(query, { texts, reader, isAllowed });
  } finally {
    reader.checkpoint = undefined;
  }
}

function filterOf(
  { phrases, exclusions }: ParsedQuery,
  { texts, reader, isAllowed }: {
    readonly texts: ChunkTexts;
    readonly reader: PostingsReader;
    readonly isAllowed: (chunk: number) => boolean;
  },
): PhraseFilter {
  const missing: Phrase[] = [];
  const unchecked: Phrase[] = [];
  const excluded: Bitset[] = [];
  for (const phrase of exclusions) {
    const chunks = chunksWith(phrase, reader);
    if (chunks) excluded.push(bitsetOf(chunks));
    else unchecked.push(phrase);
  }
  const isExcluded = (chunk: number) => excluded.some((set) => hasId(set, chunk));
  const required: Bitset[] = [];
  for (const phrase of phrases) {
    const candidates = chunksWith(phrase, reader);
    if (!candidates) {
      unchecked.push(phrase);
      continue;
    }
    const chunks = withVerbatim(texts, phrase, candidates);
    if (chunks.some((chunk) => isAllowed(chunk) && !isExcluded(chunk))) required.push(bitsetOf(chunks));
    else missing.push(phrase);
  }
  return { matches: matcherOf(required, excluded), missing, unchecked };
}

/** Returns a test for the chunks in all required sets and in no excluded one, which is called for every hit. */
function matcherOf(required: readonly Bitset[], excluded: readonly Bitset[]): PhraseFilter["matches"] {
  const [first, ...others] = required;
  if (!first) {
    if (excluded.length === 0) return undefined;
    const union = new Uint8Array(Math.max(...excluded.map(({ length }) => length)));
    for (const set of excluded) set.forEach((byte, at) => union[at] = (union[at] as number) | byte);
    return (chunk) => !hasId(union, chunk);
  }
  for (const set of others) first.forEach((byte, at) => first[at] = byte & (set[at] ?? 0));
  for (const set of excluded) first.forEach((byte, at) => first[at] = byte & ~(set[at] ?? 0));
  return (chunk) => hasId(first, chunk);
}

function bitsetOf(chunks: Uint32Array): Bitset {
  const bits = bitset(chunks.reduce((max, id) => Math.max(max, id), 0));
  for (const id of chunks) addId(bits, id);
  return bits;
}

const NO_CHUNKS = new Uint32Array();

/** Returns the chunks that contain the stems of a phrase in sequence. Undefined: they are too frequent. */
function chunksWith({ words }: Phrase, reader: PostingsReader): Uint32Array | undefined {
  const stems = stemsOf(words).flat();
  if (stems.length === 0) return NO_CHUNKS;
  const postings = stems.length === 1 ? reader.term(stems[0] as string) : reader.phrase(words);
  return postings && reader.idsOf(postings);
}

/** Returns those of the chunks that contain a phrase verbatim. */
function withVerbatim(texts: ChunkTexts, { words }: Phrase, chunks: Uint32Array): Uint32Array {
  if (chunks.length > MAX_COMPARED) return chunks;
  const pattern = chunks.length > MAX_READ_AT_ONCE ? plainPhrase(words) : undefined;
  const plain = pattern && texts.matching([...chunks], pattern);
  const others = plain ? chunks.filter((chunk) => !plain.has(chunk)) : chunks;
  const found = new Set(plain);
  for (let at = 0; at < others.length; at += MAX_READ_AT_ONCE) {
    for (const [chunk, text] of texts.read([...others.subarray(at, at + MAX_READ_AT_ONCE)])) {
      if (text.containsPhrase(words)) found.add(chunk);
    }
  }
  return chunks.filter((chunk) => found.has(chunk));
}
