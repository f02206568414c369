import type { SimilarNote } from "../../contract/mod.ts";
import { GenerationCache } from "../../data_structures/mod.ts";
import {
  compareAtBest,
  compareSentences,
  lexicalSimilarity,
  semanticSimilarity,
  sentenceWeight,
  type TermWeight,
} from "./sentence_similarity.ts";
import { type Sentence, sentencesOf } from "./sentences.ts";

/** A note that is compared with stored ones: its start. */
export interface NoteToCompare {
  /** Text to embed. */
  readonly text: string;
  readonly sentences: readonly Sentence[];
  /** Terms of the sentences, without repetitions. */
  readonly terms: readonly string[];
}

/** A chunk of a stored note. */
export interface SimilarCandidate {
  readonly document_id: number;
  readonly title: string | null;
  readonly text: string;
  /** Cosine of its vector and that of the new note; undefined without vectors. */
  readonly cosine: number | undefined;
}

/** Maximum length of the compared text in UTF-16 code units: about 250 tokens. */
const MAX_CHARS = 1_000;
/** Maximum length of the embedded text: about 60 tokens, which take 70 ms. */
const MAX_EMBEDDED_CHARS = 240;
const MAX_SENTENCES = 12;
const MAX_CANDIDATE_SENTENCES = 32;
const MAX_TERMS = 32;
/** Minimum number of terms of a sentence that is compared, unless a note has only shorter ones. */
const MIN_TERMS = 3;
/** Minimum score. On the labelled pairs, precision is 0.9 or more from here on. */
const MIN_SCORE = 0.6;
/** Minimum share of the shorter note that similar sentences make up: notes of one template share a line or two. */
const MIN_COVERAGE = 0.3;
/** Maximum total length of the texts whose sentences are kept, in UTF-16 code units: 3 MB with their terms. */
const MAX_CACHED_CHARS = 256 * 1024;
/** Sentences of stored notes by their text: notes about one topic are compared with each new one about it. */
const cachedSentences = new GenerationCache<string, readonly Sentence[]>(MAX_CACHED_CHARS);
/** YAML between lines of three hyphens. */
const FRONT_MATTER = /^---\r?\n[^]*?\r?\n---(?:\r?\n|$)/;

/** Prepares a note for comparison. Reads only its start, so that the cost is bounded. */
export function noteToCompare({ text, title }: { text: string; title?: string | undefined }): NoteToCompare {
  const start = text.replace(FRONT_MATTER, "").trim().slice(0, MAX_CHARS).toWellFormed();
  const sentences = telling(sentencesOf(start, { max: MAX_SENTENCES }));
  const context = title === undefined || start.startsWith(title) ? "" : `${title}\n`;
  return {
    text: (context + start).slice(0, MAX_EMBEDDED_CHARS).toWellFormed(),
    sentences,
    terms: [...new Set(sentences.flatMap(({ terms }) => terms))].slice(0, MAX_TERMS),
  };
}

/**
 * Returns the notes that say nearly the same, most similar first, each with its most similar sentence.
 *
 * @param options.weightOf Returns the weight of a term.
 * @param options.onTerms Called with most of the terms whose weights are needed, so that they can be read together.
 * @param options.limit Maximum number of notes.
 *
 * @example
 * ```ts
 * import { noteToCompare, rankSimilarNotes } from "./similar_notes.ts";
 * import { assertEquals } from "@std/assert";
 * const stored = { document_id: 7, title: null, text: "Ann lives in Rome, near the river.", cosine: undefined };
 * const note = noteToCompare({ text: "Ann lives in Milan, near the river." });
 * const [similar] = rankSimilarNotes(note, [stored], { weightOf: () => 1, limit: 3 });
 * assertEquals([similar?.document_id, similar?.sentence], [7, "Ann lives in Rome, near the river."]);
 * ```
 */
export function rankSimilarNotes(
  note: NoteToCompare,
  candidates: readonly SimilarCandidate[],
  { weightOf, limit, onTerms }: {
    readonly weightOf: TermWeight;
    readonly limit: number;
    readonly onTerms?: (terms: ReadonlySet<string>) => void;
  },
): SimilarNote[] {
  if (candidates.length === 0) return [];
  const best = new Map<number, SimilarNote>();
  onTerms?.(new Set(note.sentences.flatMap(({ terms }) => terms)));
  const compared = similarAtBest(
    note,
    candidates.map((candidate) => ({ ...candidate, sentences: storedSentences(candidate.text) })),
    weightOf,
  );
  if (compared.length === 0) return [];
  onTerms?.(sharedSentenceTerms(note, compared.flatMap(({ sentences }) => sentences)));
  for (const { document_id, title, sentences, cosine } of compared) {
    const match = compareNotes(note.sentences, sentences, { cosine, weightOf });
    if (!match || match.score <= (best.get(document_id)?.score ?? 0)) continue;
    const score = Math.round(match.score * 100) / 100;
    best.set(document_id, { document_id, title, sentence: match.sentence, score });
  }
  return [...best.values()].sort((a, b) => b.score - a.score).slice(0, limit);
}

interface ComparedNote extends SimilarCandidate {
  readonly sentences: readonly Sentence[];
}

/**
 * Leaves out notes that cannot be similar whatever their other terms weigh. These are nearly all, and reading the
 * weights of their terms would take longer than all the rest.
 */
function similarAtBest(
  { sentences }: NoteToCompare,
  candidates: readonly ComparedNote[],
  weightOf: TermWeight,
): ComparedNote[] {
  const weights = sentences.map((sentence) => sentenceWeight(sentence, weightOf));
  return candidates.filter(({ sentences: stored, cosine }) =>
    sentences.some((sentence, index) =>
      stored.some((other) => {
        const comparison = compareAtBest(sentence, other, { weight: weights[index] as number, weightOf });
        return lexicalSimilarity(comparison) >= MIN_SCORE ||
          cosine !== undefined && semanticSimilarity(comparison, cosine) >= MIN_SCORE;
      })
    )
  );
}

function storedSentences(text: string): readonly Sentence[] {
  const known = cachedSentences.get(text);
  if (known) return known;
  const sentences = telling(sentencesOf(text, { max: MAX_CANDIDATE_SENTENCES }));
  cachedSentences.set(text, sentences, text.length);
  return sentences;
}

/** Returns the terms of a note and of the sentences that share any with it: others are compared without weights. */
function sharedSentenceTerms({ sentences }: NoteToCompare, stored: readonly Sentence[]): Set<string> {
  const own = new Set(sentences.flatMap(({ terms }) => terms));
  const sharing = stored.filter(({ terms }) => terms.some((term) => own.has(term)));
  return new Set([...own, ...sharing.flatMap(({ terms }) => terms)]);
}

interface Match {
  readonly sentence: string;
  readonly score: number;
}

/** Returns the most similar sentence, if it is similar enough. */
function compareNotes(
  added: readonly Sentence[],
  stored: readonly Sentence[],
  { cosine, weightOf }: { readonly cosine: number | undefined; readonly weightOf: TermWeight },
): Match | undefined {
  const weigh = (sentences: readonly Sentence[]) =>
    sentences.reduce((sum, sentence) => sum + sentenceWeight(sentence, weightOf), 0);
  let byWords: Match | undefined;
  let byMeaning: Match | undefined;
  let covered = 0;
  for (const sentence of added) {
    let best = 0;
    for (const other of stored) {
      const comparison = compareSentences(sentence, other, weightOf);
      const score = lexicalSimilarity(comparison);
      best = Math.max(best, score);
      if (!byWords || score > byWords.score) {
        byWords = { sentence: other.text, score };
        // The vectors are of whole chunks, so the words decide which sentence is reported.
        if (cosine !== undefined) {
          byMeaning = { sentence: other.text, score: semanticSimilarity(comparison, cosine) };
        }
      }
    }
    if (best >= MIN_SCORE) covered += sentenceWeight(sentence, weightOf);
  }
  if (byMeaning && byMeaning.score >= MIN_SCORE && byMeaning.score >= (byWords?.score ?? 0)) return byMeaning;
  if (!byWords || byWords.score < MIN_SCORE) return undefined;
  return covered >= MIN_COVERAGE * Math.min(weigh(added), weigh(stored)) ? byWords : undefined;
}

/** Leaves out headings and other short lines, which many notes share, unless a note has nothing else. */
function telling(sentences: readonly Sentence[]): readonly Sentence[] {
  const long = sentences.filter(({ terms }) => terms.length >= MIN_TERMS);
  return long.length > 0 ? long : sentences;
}
