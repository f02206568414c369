import type { Fts5Index } from "./fts5_index.ts";

/** Words that are kept in memory, in all: some 20 MB. */
const MAX_WORDS = 300_000;
/** Share of all chunks that may come or go until words are read anew. */
const MAX_CHANGE = 0.02;

const decoder = new TextDecoder();

/** Different words with the same first letter. */
interface Section {
  readonly words: readonly string[];
  /** What of {@linkcode signatureOf} each has. */
  readonly signatures: Int32Array;
  /** Chunks that there were. */
  readonly chunks: number;
}

/**
 * The words of the index by their first letter, to look for those that are like another one. They are read when they are first
 * asked for and kept while the store stays about the same: a word that came or went meanwhile is no loss to a guess.
 */
export class Vocabulary {
  readonly #index: Fts5Index;
  readonly #sections = new Map<string, Section>();
  #words = 0;

  constructor(index: Fts5Index) {
    this.#index = index;
  }

  /**
   * Words with the same first letter, of about the same length and mostly the same letters.
   *
   * @param most Letters that may be more, less or other.
   * @param chunks Chunks that there are now.
   */
  like(word: string, most: number, chunks: number): string[] {
    const { words, signatures } = this.#section([...word][0] ?? "", chunks);
    const signature = signatureOf(word);
    return words.filter((other, index) =>
      Math.abs(other.length - word.length) <= most * 2 &&
      bitsOf(signature ^ (signatures[index] as number)) <= most * 2
    );
  }

  /** Words that begin with the given one. */
  beginningWith(word: string, chunks: number): string[] {
    return this.#section([...word][0] ?? "", chunks).words.filter((other) => other.startsWith(word));
  }

  #section(initial: string, chunks: number): Section {
    const known = this.#sections.get(initial);
    if (known && Math.abs(chunks - known.chunks) <= chunks * MAX_CHANGE) return known;
    const found = new Set<string>();
    this.#index.terms(initial, (term) => found.add(decoder.decode(term)));
    const words = [...found];
    const section = { words, signatures: Int32Array.from(words, signatureOf), chunks };
    this.#words += words.length - (known?.words.length ?? 0);
    if (this.#words > MAX_WORDS) {
      this.#sections.clear();
      this.#words = words.length;
    }
    this.#sections.set(initial, section);
    return section;
  }
}

/** Which letters a word has, of 32 kinds: an edit changes two of them at most. */
function signatureOf(word: string): number {
  let signature = 0;
  for (let i = 0; i < word.length; i++) signature |= 1 << (word.charCodeAt(i) & 31);
  return signature;
}

function bitsOf(number: number): number {
  let bits = number;
  let count = 0;
  for (; bits !== 0; count++) bits &= bits - 1;
  return count;
}
