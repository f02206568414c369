import { GenerationCache } from "../../../data_structures/mod.ts";
import type { TermIndex } from "./term_index.ts";

/**
 * Maximum number of prefixes and terms that are kept: less than 1 MB in each thread. Most prefixes of a query are new:
 * of 4,000 different queries, eight times as many kept 7.6 % of the prefixes instead of 3.1 %.
 */
const MAX_KEPT = 8192;
/** Maximum number of terms of a query that are kept: most prefixes have none or a few. */
const MAX_TERMS = 1000;

/** Limits of {@linkcode PrefixExpansions.of}. */
export interface ExpansionLimits {
  /** Maximum number of terms with a prefix. */
  readonly max: number;
  /** Maximum number of terms of all prefixes; the last prefixes get none. */
  readonly maxTotal: number;
}

/**
 * Finds the terms with some prefixes, and keeps them: a query has a dozen prefixes per word, for the compounds of
 * several languages, and queries repeat words.
 */
export class PrefixExpansions {
  readonly #index: Pick<TermIndex, "visitTerms">;
  readonly #known = new GenerationCache<string, readonly string[]>(MAX_KEPT);

  constructor(index: Pick<TermIndex, "visitTerms">) {
    this.#index = index;
  }

  /** Forgets all terms. Call it after each write to the index. */
  clear(): void {
    this.#known.clear();
  }

  /** Returns terms by their prefixes: all, or as many as were found first. The limits of all calls must be equal. */
  of(prefixes: readonly string[], limits: ExpansionLimits): string[][] {
    const known = prefixes.map((prefix) => this.#known.get(prefix));
    const unknown = new Set(prefixes.filter((_, index) => !known[index]));
    const read = unknown.size > 0 ? this.#read([...unknown], limits) : undefined;
    let total = 0;
    return prefixes.map((prefix, index) => {
      const terms = known[index] ?? read?.get(prefix) ?? [];
      const kept = terms.slice(0, limits.maxTotal - total);
      total += kept.length;
      return kept;
    });
  }

  #read(prefixes: readonly string[], { max, maxTotal }: ExpansionLimits): Map<string, readonly string[]> {
    const found = new Map<number, Set<string>>();
    let total = 0;
    this.#index.visitTerms(prefixes, (term, index) => {
      if (total >= maxTotal) return false;
      const terms = found.get(index) ?? new Set();
      found.set(index, terms);
      const { size } = terms;
      terms.add(term);
      total += terms.size - size;
      return terms.size < max;
    });
    // Prefixes without terms, which are most, are not kept: the forms of a word are, without them.
    const read = new Map(Array.from(found, ([index, terms]) => [prefixes[index] as string, [...terms]]));
    if (total <= MAX_TERMS) {
      for (const [prefix, terms] of read) this.#known.set(prefix, terms, 1 + terms.length);
    }
    return read;
  }
}
