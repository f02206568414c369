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
  const endings = rules.map(([pattern]) => lastLetters(pattern));
  // Languages share stemmers, and a word of a query is stemmed in all languages of the store.
  let last = "";
  let stem = "";
  return (word) => {
    if (word === last) return stem;
    last = stem = word;
    for (let at = 0; at < rules.length; at++) {
      // Few rules match a word, and a pattern is tried at each of its letters.
      if (endings[at]?.includes(stem[stem.length - 1] as string) === false) continue;
      const [pattern, replacement] = rules[at] as Rule;
      const next = stem.replace(pattern, replacement);
      if (next.length >= minLength) stem = next;
    }
    return stem;
  };
}

/** End of a pattern: a letter, a class of letters, or a group of suffixes. Not before a quantifier or a reference. */
const LAST_PART =
  /(?:(?<!\\)(?<letter>\p{L})|\[(?<letters>\p{L}+)\]\+?|\(\[(?<captured>\p{L}+)\]\)|\((?:\?:)?(?<list>[\p{L}|]+)\))\$$/u;

/** Returns the letters at the end of all words that a pattern matches; more are possible. Undefined: unknown. */
function lastLetters({ source }: RegExp): string | undefined {
  const { letter, letters, captured, list } = LAST_PART.exec(source)?.groups ?? {};
  if (hasAlternatives(source)) return undefined;
  return letter ?? letters ?? captured ?? list?.split("|").map((suffix) => suffix.at(-1)).join("");
}

/** Whether a pattern has alternatives outside of groups, so that its end is that of the last one only. */
function hasAlternatives(source: string): boolean {
  let depth = 0;
  for (const character of source) {
    if (character === "(") depth++;
    else if (character === ")") depth--;
    else if (character === "|" && depth === 0) return true;
  }
  return false;
}

/** Returns a pattern for the longest of some suffixes, separated by spaces. */
export function suffixes(list: string): RegExp {
  // An alternation that is anchored at the end finds the longest suffix first, because it starts leftmost.
  return new RegExp(`(?:${list.trim().split(/\s+/).join("|")})$`, "u");
}
