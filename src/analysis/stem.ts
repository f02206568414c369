import { DatabaseSync, type StatementSync } from "node:sqlite";

/** Tokenizer of the full-text index `chunks_fts`. A test compares it with the schema. */
export const TOKENIZER = "porter unicode61 remove_diacritics 2 categories 'L* N* Co So Mn Mc'";

/** Characters that the tokenizer keeps in a word, as the inside of a character class. */
export const WORD_CHARACTERS = "\\p{L}\\p{N}\\p{Co}\\p{So}\\p{Mn}\\p{Mc}";

/** Maximum number of cached words. The cache is cleared when full and refills quickly. */
const MAX_CACHED_WORDS = 20_000;
/** Longer words are not cached, which bounds the cache's memory. */
const MAX_CACHED_CHARS = 64;

/**
 * Stems words with FTS5 itself. Its Porter stemmer differs from others in details, and a query stemmed
 * differently from the index would miss documents.
 */
class Stemmer {
  readonly #add: StatementSync;
  readonly #read: StatementSync;
  readonly #clear: StatementSync;
  readonly #cache = new Map<string, readonly string[]>();

  constructor() {
    const db = new DatabaseSync(":memory:");
    db.exec(`
      CREATE VIRTUAL TABLE words USING fts5 (word, content = '', tokenize = "${TOKENIZER}");
      CREATE VIRTUAL TABLE terms USING fts5vocab (words, instance);
    `);
    this.#add = db.prepare("INSERT INTO words (rowid, word) VALUES (?, ?)");
    this.#read = db.prepare("SELECT doc, term FROM terms ORDER BY doc, offset");
    this.#clear = db.prepare("INSERT INTO words (words) VALUES ('delete-all')");
  }

  stems(words: readonly string[]): (readonly string[])[] {
    const uncached = [...new Set(words)].filter((word) => !this.#cache.has(word));
    const stemmed = this.#stem(uncached);
    const found = words.map((word) => stemmed.get(word) ?? this.#cache.get(word) ?? []);
    if (this.#cache.size > MAX_CACHED_WORDS) this.#cache.clear();
    for (const [word, stems] of stemmed) {
      if (word.length <= MAX_CACHED_CHARS) this.#cache.set(word, stems);
    }
    return found;
  }

  #stem(words: readonly string[]): Map<string, readonly string[]> {
    if (words.length === 0) return new Map();
    for (const [index, word] of words.entries()) this.#add.run(index, word);
    const found = words.map((): string[] => []);
    for (const { doc, term } of this.#read.all() as { doc: number; term: string }[]) found[doc]?.push(term);
    this.#clear.run();
    return new Map(words.map((word, index) => [word, found[index] ?? []]));
  }
}

/** Shared by the process; its in-memory database takes a few kilobytes. */
let stemmer: Stemmer | undefined;

/**
 * Returns the terms that the index stores for each word: usually one stem, none for a word without letters or
 * digits, several if the tokenizer splits the word.
 *
 * @param words Words normalized by `normalizeForSearch`.
 */
export function stems(words: readonly string[]): (readonly string[])[] {
  return (stemmer ??= new Stemmer()).stems(words);
}
