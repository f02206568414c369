/**
 * First character of every derived term, of category Co (private use), which no normalized word starts with. The
 * code of the language follows, and then the stem.
 */
export const DERIVED_PREFIX = "\ue000";
/** Start of the derived terms of compounds, whose stems are reversed. */
export const REVERSED_PREFIX = `${DERIVED_PREFIX}\ue001`;

/** Number of letters in the code of a language. */
const CODE_CHARS = 2;

/** Returns the language of a derived term, or of a prefix of derived terms. */
export function languageOfTerm(term: string): string {
  const { length } = term.startsWith(REVERSED_PREFIX) ? REVERSED_PREFIX : DERIVED_PREFIX;
  return term.slice(length, length + CODE_CHARS);
}
