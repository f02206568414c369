import type { Fts5Index } from "./fts5_index.ts";

/** Maximum number of terms in memory, in all sections: about 20 MB. */
const MAX_TERMS = 300_000;
/** Share of chunks that may be added or removed before a section is read again. */
const MAX_CHANGE = 0.02;
/** Number of letters that the terms of a section share. One letter would make a section too slow to read. */
const SECTION_PREFIX_LENGTH = 2;

const HAS_SURROGATE = /[\ud800-\udfff]/;

/** Terms with the same first letters. Those of several segments of the index are repeated. */
interface Section {
  readonly terms: readonly string[];
  /** {@linkcode signatureOf} each term. */
  readonly signatures: Int32Array;
  /** Number of chunks when the section was read. */
  readonly chunks: number;
  /** The terms, if they have been looked up. */
  known?: ReadonlySet<string>;
}

/**
 * Finds similar terms for spelling correction. Reads terms by their first letters on demand, and keeps them
 * until the number of chunks changes by 2 %: a correction need not know the newest terms.
 */
export class Vocabulary {
  readonly #index: Fts5Index;
  /** Sections by the first letters of their terms, the least recently used first. */
  readonly #sections = new Map<string, Section>();
  #count = 0;

  constructor(index: Fts5Index) {
    this.#index = index;
  }

  /**
   * Returns candidates for the terms within an edit distance: the same first two letters, a similar length and
   * similar letters.
   *
   * @param maxEdits Maximum number of insertions, deletions and substitutions.
   * @param chunks Current number of chunks.
   */
  similarTo(term: string, maxEdits: number, chunks: number): string[] {
    const { terms, signatures } = this.#section(term, chunks);
    const signature = signatureOf(term);
    const similar = new Set<string>();
    for (let index = 0; index < terms.length; index++) {
      const other = terms[index] as string;
      const differing = countBits(signature ^ (signatures[index] as number));
      if (differing <= maxEdits * 2 && Math.abs(other.length - term.length) <= maxEdits * 2) {
        similar.add(other);
      }
    }
    return [...similar];
  }

  /**
   * Returns those of the candidates that are terms. If the index has no filters for that, reads the section of `word`, and
   * looks up candidates of sections that are not in memory one by one.
   *
   * @param chunks Current number of chunks.
   */
  existing(word: string, candidates: readonly string[], chunks: number): Set<string> {
    if (this.#index.hasFilters) return new Set(this.#index.existing(candidates));
    this.#section(word, chunks);
    const existing = new Set<string>();
    const others = new Set<string>();
    for (const term of candidates) {
      const section = this.#sections.get(prefixOf(term));
      if (!section || !isCurrent(section, chunks)) others.add(term);
      else if ((section.known ??= new Set(section.terms)).has(term)) existing.add(term);
    }
    if (others.size > 0) { for (const term of this.#index.existing([...others])) existing.add(term); }
    return existing;
  }

  /** Returns terms with a prefix: all, or as many as were found first. */
  withPrefix(prefix: string, max: number): string[] {
    const terms = new Set<string>();
    this.#index.visitTerms([prefix], (term) => terms.add(term).size < max);
    return [...terms];
  }

  #section(word: string, chunks: number): Section {
    const prefix = prefixOf(word);
    let section = this.#sections.get(prefix);
    this.#sections.delete(prefix);
    if (!section || !isCurrent(section, chunks)) {
      this.#count -= section?.terms.length ?? 0;
      const terms: string[] = [];
      this.#index.visitTerms([prefix], (term) => terms.push(term));
      section = { terms, signatures: Int32Array.from(terms, signatureOf), chunks };
      this.#count += terms.length;
    }
    for (const [oldPrefix, { terms }] of this.#sections) {
      if (this.#count <= MAX_TERMS) break;
      this.#sections.delete(oldPrefix);
      this.#count -= terms.length;
    }
    this.#sections.set(prefix, section);
    return section;
  }
}

function isCurrent(section: Section, chunks: number): boolean {
  return Math.abs(chunks - section.chunks) <= chunks * MAX_CHANGE;
}

function prefixOf(word: string): string {
  const start = word.slice(0, SECTION_PREFIX_LENGTH);
  return HAS_SURROGATE.test(start) ? [...word].slice(0, SECTION_PREFIX_LENGTH).join("") : start;
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
