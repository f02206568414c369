import { DatabaseSync, type StatementSync } from "node:sqlite";

/** How `chunks_fts` cuts text into words (`src/engine/store/migrations.ts`; a test holds the two together). */
export const TOKENIZER = "porter unicode61 remove_diacritics 2 categories 'L* N* Co So Mn Mc'";

/** Words remembered. Cleared when full: what is asked for comes back at once. */
const MAX_REMEMBERED = 20_000;

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
    if (unknown.length > 0) this.#learn(unknown);
    return words.map((word) => this.#known.get(word) ?? []);
  }

  #learn(words: readonly string[]): void {
    if (this.#known.size > MAX_REMEMBERED) this.#known.clear();
    for (const [index, word] of words.entries()) this.#add.run(index, word);
    const found = words.map((): string[] => []);
    for (const { doc, term } of this.#read.all() as { doc: number; term: string }[]) found[doc]?.push(term);
    this.#clear.run();
    for (const [index, word] of words.entries()) this.#known.set(word, found[index] ?? []);
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
