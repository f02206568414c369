import { type IdleOptions, runWhileIdle } from "../../../async/mod.ts";
import type { VectorScanner } from "./vector_scanner.ts";

/*
 * The first search of a thread takes 60 ms, and the next ones several times as long as later: they compile code, measure
 * the spread, and read pages of the database. A thread that has nothing to do yet does that with a few stored vectors as
 * queries.
 */

/** Fewer vectors are searched in less time than it saves. */
const MIN_VECTORS = 1024;
const MAX_SEARCHES = 12;
/** No search begins later, in milliseconds. */
const MAX_MS = 150;
/** Number of results of a hybrid search. */
const TOP = 100;

/** Searches for a few stored vectors, as long as the thread is idle and all vectors are in memory. Never rejects. */
export function rehearse(
  scanner: RehearsedScanner,
  options: Omit<IdleOptions, "maxMs">,
): Promise<void> {
  return runWhileIdle(searches(scanner), { ...options, maxMs: MAX_MS });
}

type RehearsedScanner = Pick<VectorScanner, "memory" | "sample" | "search">;

function* searches(scanner: RehearsedScanner): Generator<() => unknown> {
  const { vectors, complete } = scanner.memory;
  if (vectors < MIN_VECTORS || !complete) return;
  for (const query of scanner.sample().slice(0, MAX_SEARCHES)) {
    yield () => scanner.search({ query, top: TOP });
  }
}
