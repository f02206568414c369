/** A rewriting step of a light stemmer: what to replace at the end or start of a word, and by what. */
export type Rule = readonly [pattern: RegExp, replacement: string];

/** Minimum length of a stem in letters, unless a stemmer sets another one. */
const MIN_STEM_LENGTH = 3;

/**
 * Creates a light stemmer: it applies each rule once, in order, and skips those that would leave too little of
 * the word. Words and rules are without accents, as {@linkcode normalizeForSearch} returns them.
 *
 * @param minLength Minimum length of the result.
 */
export function lightStemmer(rules: readonly Rule[], minLength = MIN_STEM_LENGTH): (word: string) => string {
  // Languages share stemmers, and a word of a query is stemmed in all languages of the store.
  let last = "";
  let stem = "";
  return (word) => {
    if (word === last) return stem;
    last = stem = word;
    for (const [pattern, replacement] of rules) {
      const next = stem.replace(pattern, replacement);
      if (next.length >= minLength) stem = next;
    }
    return stem;
  };
}

/** Returns a pattern for the longest of some suffixes, separated by spaces. */
export function suffixes(list: string): RegExp {
  // An alternation that is anchored at the end finds the longest suffix first, because it starts leftmost.
  return new RegExp(`(?:${list.trim().split(/\s+/).join("|")})$`, "u");
}
