/** Each file counts at least this many bytes. */
const MIN_COST = 64 * 1024;
/** Senders in memory from which those without a waiting file are forgotten. */
const MAX_SENDERS = 1000;

/**
 * Ranks waiting files, so that a small one is read before a large one, each is read eventually, and a sender with many
 * files does not delay others.
 *
 * A rank is a virtual time, as in self-clocked fair queueing (Golestani, INFOCOM 1994): files of the same sender
 * start {@linkcode MIN_COST} apart, and the rank is the start plus the size. The clock is the lowest rank of the waiting
 * files, so a file waits only until about as many bytes have been read as it has itself.
 *
 * @example
 * ```ts
 * import { QueueOrder } from "./queue_order.ts";
 * import { assert } from "@std/assert";
 * const order = new QueueOrder();
 * const large = order.rank("ann", 50e6);
 * assert(order.rank("ann", 1000) < large);
 * order.advance(large);
 * assert(order.rank("ann", 1000) > large);
 * ```
 */
export class QueueOrder {
  #time: number;
  /** Start of the next file, by sender. */
  readonly #starts = new Map<string, number>();

  /** @param time Lowest rank of the waiting files. */
  constructor(time = 0) {
    this.#time = time;
  }

  /** Returns the rank of a new file. */
  rank(sender: string, sizeBytes: number): number {
    const start = Math.max(this.#time, this.#starts.get(sender) ?? 0);
    this.#starts.set(sender, start + MIN_COST);
    return start + Math.max(MIN_COST, sizeBytes);
  }

  /** Sets the clock to the lowest rank of the waiting files. It never goes back. */
  advance(lowestRank: number): void {
    this.#time = Math.max(this.#time, lowestRank);
    if (this.#starts.size < MAX_SENDERS) return;
    for (const [sender, start] of this.#starts) if (start <= this.#time) this.#starts.delete(sender);
  }
}
