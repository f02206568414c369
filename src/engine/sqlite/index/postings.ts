import type { IndexMemory } from "./index_memory.ts";

/** Posting list of a term or phrase: each chunk that contains it once, with the number of occurrences. */
export interface Postings {
  /** Number of chunks. */
  readonly count: number;
  /** Size in the kernel's memory, in bytes. */
  readonly size: number;
  /** Address of the packed posting list (see packed.as); 0 if it is empty, or no longer in memory. */
  readonly address: number;
  /**
   * Returns the address. Reads the posting list again if it is no longer in memory, which may evict others. Valid until
   * the next posting list is read.
   */
  load(): number;
}

/** An empty posting list. */
export const NO_POSTINGS: Postings = { count: 0, size: 0, address: 0, load: () => 0 };

/**
 * Loads posting lists, so that all are in memory at once.
 *
 * @param memory Memory with their cache, which grows if it is too small.
 */
export function loadAll(lists: readonly Postings[], memory: Pick<IndexMemory, "reserveCache">): void {
  const isMissing = ({ count, address }: Postings) => count > 0 && address === 0;
  if (!lists.some(isMissing)) return;
  // Reading one evicts the oldest, which may be one of the others. Each is read once more at most, since the cache is large
  // enough for all of them, for what is between them, and for the rest at its end.
  memory.reserveCache(3 * lists.reduce((sum, { size }) => sum + size, 0));
  while (lists.some(isMissing)) for (const list of lists) list.load();
}
