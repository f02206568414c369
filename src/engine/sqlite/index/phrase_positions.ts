import type { IndexMemory } from "./index_memory.ts";
import type { Checkpoint, LocatedTerm, TermIndex } from "./term_index.ts";

/** A word of a phrase. */
export interface PhraseWord {
  readonly located: LocatedTerm;
  /** Number of words before it. */
  readonly offset: number;
  /** Estimated number of postings. */
  readonly postings: number;
}

/** Candidates with the first words of a phrase. */
export interface PhraseCandidates {
  readonly count: number;
  /** Whether they contain the whole phrase. */
  readonly isChecked: boolean;
}

/**
 * Reads the candidates that contain words in sequence, in one column, into the posting list that is being read, with
 * the weight of the most important column.
 *
 * @param words Words, the rarest first.
 * @param options.mayStop Whether few candidates remain, so that reading another word is not necessary.
 * @returns Undefined if the index cannot read positions, or these words have too many.
 * @throws {IndexDamagedError} If a page is damaged.
 */
export function readPhrasePositions(
  index: TermIndex,
  words: readonly PhraseWord[],
  { memory, candidates, checkpoint, mayStop = () => false }: {
    readonly memory: IndexMemory;
    readonly candidates: readonly number[];
    readonly checkpoint: Checkpoint | undefined;
    readonly mayStop?: (matches: number, next: PhraseWord) => boolean;
  },
): PhraseCandidates | undefined {
  const { kernel, scratch, maxPostings } = memory;
  const { ids, table, starts, maxStarts, maxCandidates } = memory.positions;
  if (candidates.length > maxCandidates) return undefined;
  memory.numbers.set(candidates, ids >> 2);
  kernel.markCandidates(ids, candidates.length);
  try {
    kernel.startPhrase(table, candidates.length, starts, maxStarts);
    let matches = candidates.length;
    let read = 0;
    for (const word of words) {
      if (matches === 0 || mayStop(matches, word)) break;
      kernel.startWord(word.offset);
      if (!index.readPositions(word.located, checkpoint) || kernel.hasTooManyStarts()) return undefined;
      matches = kernel.phraseMatches();
      read++;
    }
    if (read === 0) return undefined;
    const count = kernel.takePhrase(candidates.length, ids, scratch, scratch + 4 * maxPostings);
    return { count, isChecked: count === 0 || read === words.length };
  } finally {
    // Marks that remain would change the scores of all later searches.
    kernel.forgetMarks();
  }
}
