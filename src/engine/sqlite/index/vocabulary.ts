import type { TermIndex } from "./term_index.ts";

/** Maximum number of terms in memory, in all sections: about 20 MB. */
const MAX_TERMS = 300_000;
/** Share of chunks that may be added or removed before a section is read again. */
const MAX_CHANGE = 0.02;

const decoder = new TextDecoder();

/** Distinct terms with the same first letter. */
interface Section {
  readonly terms: readonly string[];
  /** {@linkcode signatureOf} each term. */
  readonly signatures: Int32Array;
  /** Number of chunks when the section was read. */
  readonly chunks: number;
}

/**
 * Finds similar terms for spelling correction. Reads terms by their first letter on demand, and keeps them
 * until the number of chunks changes by 2 %: a correction need not know the newest terms.
 */
export class Vocabulary {
  readonly #index: TermIndex;
  readonly #sections = new Map<string, Section>();
  #count = 0;

  constructor(index: TermIndex) {
    this.#index = index;
  }

  /**
   * Returns candidates for the terms within an edit distance: the same first letter, a similar length and
   * similar letters.
   *
   * @param maxEdits Maximum number of insertions, deletions and substitutions.
   * @param chunks Current number of chunks.
   */
  similarTo(term: string, maxEdits: number, chunks: number): string[] {
    const { terms, signatures } = this.#section([...term][0] ?? "", chunks);
    const signature = signatureOf(term);
    return terms.filter((other, index) =>
      Math.abs(other.length - term.length) <= maxEdits * 2 &&
      countBits(signature ^ (signatures[index] as number)) <= maxEdits * 2
    );
  }

  /** Returns the terms with a prefix. */
  withPrefix(prefix: string, chunks: number): string[] {
    return this.#section([...prefix][0] ?? "", chunks).terms.filter((term) => term.startsWith(prefix));
  }

  #section(initial: string, chunks: number): Section {
    const known = this.#sections.get(initial);
    if (known && Math.abs(chunks - known.chunks) <= chunks * MAX_CHANGE) return known;
    const distinct = new Set<string>();
    this.#index.visitTerms(initial, (term) => distinct.add(decoder.decode(term)));
    const terms = [...distinct];
    const section = { terms, signatures: Int32Array.from(terms, signatureOf), chunks };
    this.#count += terms.length - (known?.terms.length ?? 0);
    if (this.#count > MAX_TERMS) {
      this.#sections.clear();
      this.#count = terms.length;
    }
    this.#sections.set(initial, section);
    return section;
  }
}

/** Returns a bit for each of 32 classes of letters that a term contains. An edit changes at most two bits. */
function signatureOf(term: string): number {
  let signature = 0;
  for (let i = 0; i < term.length; i++) signature |= 1 << (term.charCodeAt(i) & 31);
  return signature;
}

function countBits(number: number): number {
  let bits = number;
  let count = 0;
  for (; bits !== 0; count++) bits &= bits - 1;
  return count;
}
