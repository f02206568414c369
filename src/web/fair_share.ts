/** Part of the capacity that is reserved for clients with little. */
const RESERVED_PART = 1 / 8;

/**
 * Shares a capacity, such as a number of requests or bytes, among clients.
 *
 * Everybody may take while more than an eighth is free. The last eighth is for clients that hold less than is
 * still free, so a client that takes all it can get leaves an eighth to the others, and several such clients
 * never use up everything.
 *
 * @example
 * ```ts
 * import { FairShare } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const slots = new FairShare(16);
 * while (slots.tryTake("greedy"));
 * assertEquals(slots.free, 2);
 * assertEquals(slots.tryTake("other"), true);
 * ```
 */
export class FairShare {
  readonly capacity: number;
  readonly #reserved: number;
  #free: number;
  /** Amounts of the clients that hold something. */
  readonly #held = new Map<string, number>();

  constructor(capacity: number) {
    this.capacity = capacity;
    this.#reserved = Math.floor(capacity * RESERVED_PART);
    this.#free = capacity;
  }

  /** The amount that nobody holds. */
  get free(): number {
    return this.#free;
  }

  /** Takes an amount for a client, unless that would exceed the capacity or the client's share. */
  tryTake(client: string, amount = 1): boolean {
    const left = this.#free - amount;
    if (left < 0) return false;
    const held = this.#held.get(client) ?? 0;
    if (left < this.#reserved && held >= this.#free) return false;
    this.#free = left;
    this.#held.set(client, held + amount);
    return true;
  }

  /** Gives back an amount that {@linkcode tryTake} took. */
  release(client: string, amount = 1): void {
    this.#free += amount;
    const held = (this.#held.get(client) ?? 0) - amount;
    if (held > 0) this.#held.set(client, held);
    else this.#held.delete(client);
  }
}
