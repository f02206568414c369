/** Languages with stop words: those with stems. English has its own list. Each one is a bit. */
const LANGUAGES = ("ar bg ca cs da de el es et fa fi fr ga he hi hu hy id it lt nl no pl pt ro ru sv tr " +
  "uk").split(" ");
/** Some lists contain numbers, and phrases that no single word matches. */
const WORD = /^[\p{L}\p{M}]+$/u;
const ASCII_WORD = /^[a-z]+$/;

const BITS: ReadonlyMap<string, number> = new Map(LANGUAGES.map((language, index) => [language, 1 << index]));

/** Returns the bit of a language in {@linkcode StopWords}; 0 if it has no stop words. */
export function stopWordBit(language: string): number {
  return BITS.get(language) ?? 0;
}

/** Bits of the languages of which a word in lower case, in NFC, is a stop word. */
export type StopWords = ReadonlyMap<string, number>;

/**
 * Returns the stop words of all languages: a query looks up each of its words once.
 *
 * @param lists The lists of stopwords-iso by ISO 639-1 code.
 */
export function stopWordsOf(lists: Readonly<Record<string, readonly string[]>>): StopWords {
  const bits = new Map<string, number>();
  for (const language of LANGUAGES) {
    const bit = stopWordBit(language);
    for (const entry of lists[language] ?? []) {
      // Half of the 20,000 entries, which the first search waits for.
      if (ASCII_WORD.test(entry)) bits.set(entry, (bits.get(entry) ?? 0) | bit);
      else {
        const word = entry.normalize("NFC").toLowerCase();
        if (WORD.test(word)) bits.set(word, (bits.get(word) ?? 0) | bit);
      }
    }
  }
  return bits;
}
