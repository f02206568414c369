/** Languages with stop words: those with stems. English has its own list. */
const LANGUAGES = ("ar bg ca cs da de el es et fa fi fr ga he hi hu hy id it lt nl no pl pt ro ru sv tr " +
  "uk").split(" ");
/** Some lists contain numbers, and phrases that no single word matches. */
const WORD = /^[\p{L}\p{M}]+$/u;

/**
 * Returns the stop words of each language in lower case, in NFC.
 *
 * @param lists The lists of stopwords-iso by ISO 639-1 code.
 */
export function stopWordsByLanguage(
  lists: Readonly<Record<string, readonly string[]>>,
): Map<string, ReadonlySet<string>> {
  return new Map(LANGUAGES.map((language) => {
    const words = (lists[language] ?? []).map((word) => word.normalize("NFC").toLowerCase());
    return [language, new Set(words.filter((word) => WORD.test(word)))];
  }));
}
