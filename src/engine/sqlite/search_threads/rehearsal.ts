import type { DatabaseSync } from "node:sqlite";
import { type IdleOptions, runWhileIdle } from "../../../async/mod.ts";
import { first, type StoredText, textOf } from "../store/read_only.ts";

/*
 * The first search of a thread takes 100 ms more than those that follow: it compiles code and patterns, and reads the
 * tables of stemmers and the directories of the index. A thread that has nothing to do yet does that with a few
 * searches for words of the store, so that the first user need not wait for it.
 */

/** Rehearsal would take more time than it saves in a store with fewer chunks, where searches are few. */
const MIN_CHUNKS = 256;
/** More would save less time than they take: the runtime compiles code better the more often it runs. */
const MAX_SEARCHES = 12;
/** No search begins later, in milliseconds. */
const MAX_MS = 150;
const WORDS = /\p{L}+/gu;
/** Length of a keyword. Shorter words are mostly stop words. */
const MIN_KEYWORD_LENGTH = 5;
const MAX_KEYWORD_LENGTH = 32;
const KEYWORDS_PER_QUERY = 3;
const WORDS_OF_SENTENCE = 6;
/** Spreads the queries over the texts. */
const GOLDEN_RATIO = 0.618034;

/** Returns a query by the words of a text. */
type QueryOf = (words: readonly string[]) => string;

/** Kinds of queries, which run different code: keywords most often, parts of sentences, a misspelled word, a phrase. */
const KINDS: readonly QueryOf[] = [
  keywords,
  (words) => words.slice(0, WORDS_OF_SENTENCE).join(" "),
  keywords,
  (words) => keywordsOf(words).map((word, at) => at === 0 ? misspelled(word) : word).join(" "),
  keywords,
  ([first = "", second = ""]) => `"${first} ${second}"`,
];

/** Options of {@linkcode rehearse}. */
export interface RehearsalOptions extends Omit<IdleOptions, "maxMs"> {
  readonly search: (query: string) => Promise<unknown>;
}

/** Searches a few times for words of the store, as long as the thread is idle. Never rejects. */
export function rehearse(db: DatabaseSync, { search, ...idle }: RehearsalOptions): Promise<void> {
  return runWhileIdle(searches(db, search), { ...idle, maxMs: MAX_MS });
}

function* searches(db: DatabaseSync, search: RehearsalOptions["search"]): Generator<() => Promise<unknown>> {
  for (let n = 0; n < MAX_SEARCHES; n++) {
    const words = wordsAt(db, (n * GOLDEN_RATIO) % 1);
    if (!words) return;
    const queryOf = KINDS[n % KINDS.length] as QueryOf;
    yield () => search(queryOf(words));
  }
}

/** Returns the words of the text at a share of the ids. Undefined: the store is small. */
function wordsAt(db: DatabaseSync, share: number): readonly string[] | undefined {
  const chunk = first<{ text: StoredText }>(
    db,
    `SELECT c.text FROM (SELECT max(id) AS last FROM chunks) m CROSS JOIN chunks c
      WHERE m.last >= ? AND c.id >= 1 + CAST(? * m.last AS INTEGER) LIMIT 1`,
    MIN_CHUNKS,
    share,
  );
  return chunk && (textOf(db, chunk.text).toLowerCase().match(WORDS) ?? []);
}

function keywords(words: readonly string[]): string {
  return keywordsOf(words).join(" ");
}

function keywordsOf(words: readonly string[]): string[] {
  const long = words.filter(({ length }) => length >= MIN_KEYWORD_LENGTH && length <= MAX_KEYWORD_LENGTH);
  return [...new Set(long)].slice(0, KEYWORDS_PER_QUERY);
}

/** Swaps the last two letters of a word. */
function misspelled(word: string): string {
  const letters = [...word];
  return [...letters.slice(0, -2), ...letters.slice(-2).reverse()].join("");
}
