/** Minimum length of a query word that also marks its inflections. */
const MIN_STEM_CHARS = 4;
/** Maximum number of letters in which an inflection differs from a query word. */
const MAX_SUFFIX_CHARS = 4;

/**
 * Returns a function that marks the words of a query in a text. Case, accents and endings are ignored, because search
 * ignores them as well: `trees` also marks `Tree`.
 *
 * @param query Query with operators: excluded words (`-word`) are not marked.
 * @param mark Returns a marked word.
 *
 * @example
 * ```ts
 * import { highlighter } from "./highlight.ts";
 * import { assertEquals } from "@std/assert";
 * const highlight = highlighter('watering "oak trees" -pine', (word) => `[${word}]`);
 * assertEquals(highlight("Water each oak tree and pine."), "[Water] each [oak] [tree] and pine.");
 * ```
 */
export function highlighter(query: string, mark: (word: string) => string): (text: string) => string {
  const wanted = words(query.replace(/(^|\s)-(?:"[^"]*"?|\S+)/g, "$1")).map(fold);
  if (wanted.length === 0) return (text) => text;
  return (text) =>
    text.replace(/[\p{L}\p{M}\p{N}_]+/gu, (word) => {
      const folded = fold(word);
      return wanted.some((each) => isSimilar(each, folded)) ? mark(word) : word;
    });
}

function words(text: string): string[] {
  return text.match(/[\p{L}\p{M}\p{N}_]+/gu) ?? [];
}

function fold(word: string): string {
  return word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Whether two words are equal, or start alike and end differently. */
function isSimilar(a: string, b: string): boolean {
  if (a === b) return true;
  let shared = 0;
  while (shared < a.length && a[shared] === b[shared]) shared++;
  return shared >= MIN_STEM_CHARS && a.length - shared <= MAX_SUFFIX_CHARS &&
    b.length - shared <= MAX_SUFFIX_CHARS &&
    shared * 2 >= Math.max(a.length, b.length);
}
