import type { DatabaseSync } from "node:sqlite";
import { type IdleOptions, runWhileIdle } from "../../../async/mod.ts";
import { first } from "../store/read_only.ts";

/*
 * The first search of a thread takes 100 ms more than those that follow: it compiles code and patterns, and reads the
 * tables of stemmers and the directories of the index. A thread that has nothing to do yet does that with a few
 * searches for words of the store, so that the first user need not wait for it.
 */

/** Rehearsal would take more time than it saves in a store with fewer chunks, where searches are few. */
const MIN_CHUNKS = 256;
const MAX_SEARCHES = 8;
/** No search begins later, in milliseconds. */
const MAX_MS = 150;
/** Words of a query. Shorter ones are mostly stop words. */
const WORDS = /\p{L}{5,32}/gu;
const WORDS_PER_QUERY = 3;
/** Spreads the queries over the texts. */
const GOLDEN_RATIO = 0.618034;

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
    const query = wordsAt(db, (n * GOLDEN_RATIO) % 1);
    if (query === undefined) return;
    yield () => search(query);
  }
}

/** Returns words of the text at a share of the ids. Undefined: the store is small. */
function wordsAt(db: DatabaseSync, share: number): string | undefined {
  const chunk = first<{ text: string }>(
    db,
    `SELECT c.text FROM (SELECT max(id) AS last FROM chunks) m CROSS JOIN chunks c
      WHERE m.last >= ? AND c.id >= 1 + CAST(? * m.last AS INTEGER) LIMIT 1`,
    MIN_CHUNKS,
    share,
  );
  const words = new Set(chunk?.text.toLowerCase().match(WORDS));
  return chunk && [...words].slice(0, WORDS_PER_QUERY).join(" ");
}
