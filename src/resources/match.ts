/** How much of what was typed counts, in UTF-16 code units. */
const MAX_TYPED_CHARS = 200;
/** How much of a text is looked at: the contract's longest title. */
const MAX_TEXT_CHARS = 500;

/** What was typed, cut to what counts of it. */
export function typedPart(value: string): string {
  return value.slice(0, MAX_TYPED_CHARS).toWellFormed();
}

/** A text without the differences that a person who types leaves out: case, diacritics, compatibility forms. */
export function fold(text: string): string {
  return text.slice(0, MAX_TEXT_CHARS).normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase()
    .normalize();
}

/** The words of a text, folded. */
export function wordsOf(text: string): string[] {
  return fold(text).split(/[^\p{L}\p{N}\p{M}]+/u).filter((word) => word !== "");
}

/**
 * How well a text fits what was typed so far, without regard to case and diacritics.
 *
 * @param typed At most 200 characters of it count.
 * @returns 0: the text begins with it; 1: a word of the text does; 2: every word that was typed stands somewhere in the
 * text; undefined: none of these. Everything fits an empty value.
 */
export function matchRank(typed: string, text: string): 0 | 1 | 2 | undefined {
  const words = wordsOf(typedPart(typed));
  // White space or punctuation only: nothing has been said yet.
  if (words.length === 0) return 0;
  const line = ` ${wordsOf(text).join(" ")}`;
  const phrase = ` ${words.join(" ")}`;
  if (line.startsWith(phrase)) return 0;
  if (line.includes(phrase)) return 1;
  return words.every((word) => line.includes(word)) ? 2 : undefined;
}
