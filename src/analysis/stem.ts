import { DatabaseSync, type StatementSync } from "node:sqlite";
import { porterStem } from "./porter.ts";

/** Tokenizer of the full-text index `chunks_fts`. A test compares it with the schema. */
export const TOKENIZER = "porter unicode61 remove_diacritics 2 categories 'L* N* Co So Mn Mc'";

/** Characters that the tokenizer keeps in a word, as the inside of a character class. */
export const WORD_CHARACTERS = "\\p{L}\\p{N}\\p{Co}\\p{So}\\p{Mn}\\p{Mc}";

/** A word that {@linkcode porterStem} stems. */
const PLAIN_WORD = /^[a-z0-9]+$/;

/** Maximum number of cached words. The cache is cleared when full and refills quickly. */
const MAX_CACHED_WORDS = 20_000;
/** Longer words are not cached, which bounds the cache's memory. */
const MAX_CACHED_CHARS = 64;
/** A larger batch is not cached: it consists of candidates for a spelling correction. */
const MAX_CACHED_BATCH = 200;
/** A word that is one token. */
const SINGLE_TOKEN = /^[\p{L}\p{N}]+$/u;

/**
 * Stems words with FTS5 itself, which also folds and splits them: a query stemmed differently from the index
 * would miss documents.
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
    if (uncached.length > MAX_CACHED_BATCH) return found;
    if (this.#cache.size > MAX_CACHED_WORDS) this.#cache.clear();
    for (const [word, stems] of stemmed) {
      if (word.length <= MAX_CACHED_CHARS) this.#cache.set(word, stems);
    }
    return found;
  }

  #stem(words: readonly string[]): Map<string, readonly string[]> {
    // One row of many words takes 1 µs per word, a row per word 50 µs.
    const singles = words.filter((word) => SINGLE_TOKEN.test(word));
    const [terms = []] = this.#stemRows([singles.join(" ")]);
    // SQLite's Unicode tables may lack new letters.
    const isAligned = terms.length === singles.length;
    const stemmed = new Map(isAligned ? singles.map((word, index) => [word, [terms[index] as string]]) : []);
    const others = words.filter((word) => !stemmed.has(word));
    const rows = this.#stemRows(others);
    for (const [index, word] of others.entries()) stemmed.set(word, rows[index] ?? []);
    return stemmed;
  }

  /** Returns the terms of each text. */
  #stemRows(texts: readonly string[]): string[][] {
    if (texts.length === 0) return [];
    for (const [index, text] of texts.entries()) this.#add.run(index, text);
    const found = texts.map((): string[] => []);
    for (const { doc, term } of this.#read.all() as { doc: number; term: string }[]) found[doc]?.push(term);
    this.#clear.run();
    return found;
  }
}

/** Shared by the process; its in-memory database takes a few kilobytes. */
let stemmer: Stemmer | undefined;

/** Maximum number of words whose stems are kept: those of some pages of text. */
const MAX_KEPT = 8192;
/** Stems of plain words. A search stems the words of the query several times, and those of its results. */
const plainStems = new Map<string, readonly string[]>();

function plainStem(word: string): readonly string[] {
  const known = plainStems.get(word);
  if (known) return known;
  if (plainStems.size >= MAX_KEPT) plainStems.clear();
  const stem = [porterStem(word)];
  plainStems.set(word, stem);
  return stem;
}

/**
 * Returns the terms that the index stores for each word: usually one stem, none for a word without letters or
 * digits, several if the tokenizer splits the word.
 *
 * @param words Words normalized by `normalizeForSearch`.
 */
export function stems(words: readonly string[]): (readonly string[])[] {
  const others = words.filter((word) => !PLAIN_WORD.test(word));
  const stemmed = others.length > 0 ? (stemmer ??= new Stemmer()).stems(others) : [];
  let next = 0;
  return words.map((word) => PLAIN_WORD.test(word) ? plainStem(word) : stemmed[next++] ?? []);
}

/**
 * Returns the first term of each word, which is empty for a word without letters or digits. Unlike those of
 * {@linkcode stems}, the hundreds of candidates for a correction do not take the place of words in memory.
 *
 * @param words Words normalized by `normalizeForSearch`.
 */
export function stemsOfCandidates(words: readonly string[]): string[] {
  const others = words.filter((word) => !PLAIN_WORD.test(word));
  const stemmed = others.length > 0 ? stems(others) : [];
  let next = 0;
  return words.map((word) => PLAIN_WORD.test(word) ? porterStem(word) : stemmed[next++]?.[0] ?? "");
}
