import { DatabaseSync, type StatementSync } from "node:sqlite";

/** How `chunks_fts` cuts text into words (`src/engine/store/migrations.ts`; a test holds the two together). */
export const TOKENIZER = "porter unicode61 remove_diacritics 2 categories 'L* N* Co So Mn Mc'";

/** What a word is made of by that, as the inside of a character class. */
export const WORD_CHARACTERS = "\\p{L}\\p{N}\\p{Co}\\p{So}\\p{Mn}\\p{Mc}";

/** Words remembered. Cleared when full: what is asked for comes back at once. */
const MAX_REMEMBERED = 20_000;
/** Longer words are looked up each time: 20,000 of them could be as large as anybody likes. */
const MAX_REMEMBERED_CHARS = 64;

/**
 * The form of words that the index has, from FTS5 itself: its stemmer has rules of its own, and a word that is cut differently
 * from the index would not be found.
 */
class Stemmer {
  readonly #add: StatementSync;
  readonly #read: StatementSync;
  readonly #clear: StatementSync;
  readonly #known = new Map<string, readonly string[]>();

  constructor() {
    const db = new DatabaseSync(":memory:");
    db.exec(`
      CREATE VIRTUAL TABLE words USING fts5 (word, content = '', tokenize = "${TOKENIZER}");
      CREATE VIRTUAL TABLE places USING fts5vocab (words, instance);
    `);
    this.#add = db.prepare("INSERT INTO words (rowid, word) VALUES (?, ?)");
    this.#read = db.prepare("SELECT doc, term FROM places ORDER BY doc, offset");
    this.#clear = db.prepare("INSERT INTO words (words) VALUES ('delete-all')");
  }

  stems(words: readonly string[]): (readonly string[])[] {
    const unknown = [...new Set(words)].filter((word) => !this.#known.has(word));
    const learnt = this.#learn(unknown);
    const found = words.map((word) => learnt.get(word) ?? this.#known.get(word) ?? []);
    if (this.#known.size > MAX_REMEMBERED) this.#known.clear();
    for (const [word, its] of learnt) {
      if (word.length <= MAX_REMEMBERED_CHARS) this.#known.set(word, its);
    }
    return found;
  }

  #learn(words: readonly string[]): Map<string, readonly string[]> {
    if (words.length === 0) return new Map();
    for (const [index, word] of words.entries()) this.#add.run(index, word);
    const found = words.map((): string[] => []);
    for (const { doc, term } of this.#read.all() as { doc: number; term: string }[]) found[doc]?.push(term);
    this.#clear.run();
    return new Map(words.map((word, index) => [word, found[index] ?? []]));
  }
}

/** One for the process, over a database in memory of a few kilobytes. */
let stemmer: Stemmer | undefined;

/**
 * What the index has for each word: one stem as a rule, none for a word without letters, several where FTS5 sees several words.
 *
 * @param words Normalised by `toSearchText`.
 */
export function stems(words: readonly string[]): (readonly string[])[] {
  return (stemmer ??= new Stemmer()).stems(words);
}
