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

/** Options of {@linkcode rehearse}. */
export interface RehearsalOptions {
  /** Whether the thread still has nothing else to do. */
  readonly isIdle: () => boolean;
  /** Returns a time in milliseconds. @default {performance.now} */
  readonly now?: () => number;
}

/**
 * Searches for a few stored vectors, as long as the thread is idle and all vectors are in memory. Never rejects.
 */
export async function rehearse(
  scanner: Pick<VectorScanner, "memory" | "sample" | "search">,
  { isIdle, now = () => performance.now() }: RehearsalOptions,
): Promise<void> {
  const end = now() + MAX_MS;
  try {
    const { vectors, complete } = scanner.memory;
    if (vectors < MIN_VECTORS || !complete) return;
    for (const query of scanner.sample().slice(0, MAX_SEARCHES)) {
      if (!isIdle() || now() >= end) return;
      scanner.search({ query, top: TOP });
      // Lets a request arrive.
      await new Promise((resolve) => setTimeout(resolve));
    }
  } catch {
    // Damage is reported by the searches that need the data.
  }
}
