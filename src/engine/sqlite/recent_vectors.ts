import { delay } from "../../async/mod.ts";

/** Maximum number of chunks without a vector for which a search waits. They take less than a second. */
const MAX_MISSING = 64;
/** Maximum time to wait, in milliseconds: includes the load of the model. */
const TIMEOUT_MS = 2000;
/** Interval between checks, in milliseconds. */
const CHECK_MS = 5;

/** Counts chunks with a vector, and those whose vectors are expected soon. */
export interface RecentVectorCounts {
  /** Returns the number of chunks with a vector. */
  readonly embedded: () => number;
  /** Returns the number of all chunks without a vector. */
  readonly all: () => number;
  /** Returns the number of recent ones of notes, which are embedded first. */
  readonly recentNotes: () => number;
}

/**
 * Waits for the vectors of documents that were added just before a search, so that an agent finds in other
 * words what it has just stored. Those added during the wait do not prolong it. During a larger backlog, such as an
 * import, only notes are waited for.
 */
export class RecentVectors {
  readonly #counts: RecentVectorCounts;
  /** Number of missing vectors for which the last search has waited in vain. */
  #waitedFor = 0;

  constructor(counts: RecentVectorCounts) {
    this.#counts = counts;
  }

  /** Resolves when no vector is missing, or waiting does not help. */
  async wait(signal?: AbortSignal): Promise<void> {
    const deadline = performance.now() + TIMEOUT_MS;
    const never = new AbortController().signal;
    const start = this.#count();
    let { missing } = start;
    if (missing === 0) {
      this.#waitedFor = 0;
      return;
    }
    // During a backlog the vectors of other documents arrive, too.
    const enough = start.isBacklog ? Infinity : this.#counts.embedded() + missing;
    while (
      missing > 0 && missing <= MAX_MISSING && missing !== this.#waitedFor && !signal?.aborted &&
      this.#counts.embedded() < enough
    ) {
      if (performance.now() > deadline) {
        this.#waitedFor = missing;
        return;
      }
      await delay(CHECK_MS, signal ?? never, { ref: true });
      ({ missing } = this.#count());
    }
    if (missing === 0) this.#waitedFor = 0;
  }

  #count(): { missing: number; isBacklog: boolean } {
    const { all, recentNotes } = this.#counts;
    const missing = all();
    const isBacklog = missing > MAX_MISSING;
    return { missing: isBacklog ? recentNotes() : missing, isBacklog };
  }
}
