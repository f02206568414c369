/** An item of a {@linkcode SlotList}. */
export interface Slotted {
  /** Index of the item; only its list changes it. */
  slot: number;
}

/**
 * An unordered set of objects that come and go with every request. A list holds each object once, and an object is in
 * one list at a time.
 *
 * Unlike `Set`, it leaves nothing behind: each rehash of a `Set` makes a table garbage that refers to its items and to
 * the next table. Once such a table is in the old generation, V8's scavenger keeps alive what it refers to, and a server
 * promoted an eighth of everything that it allocated (Deno 2.9.6).
 *
 * @example
 * ```ts
 * import { SlotList } from "./slot_list.ts";
 * import { assertEquals } from "@std/assert";
 * const list = new SlotList<{ slot: number }>();
 * const item = { slot: -1 };
 * list.add(item);
 * assertEquals([list.size, list.delete(item), list.delete(item), list.size], [1, true, false, 0]);
 * ```
 */
export class SlotList<T extends Slotted> {
  /** Items up to the size, then undefined: an array that shrinks and grows leaves its old copies behind as well. */
  readonly #items: (T | undefined)[] = [];
  #size = 0;

  /** Number of items. */
  get size(): number {
    return this.#size;
  }

  /** Adds an item that is in no list. */
  add(item: T): void {
    item.slot = this.#size;
    this.#items[this.#size++] = item;
  }

  /** Removes an item. Returns whether the list had it. */
  delete(item: T): boolean {
    const { slot } = item;
    if (slot < 0 || this.#items[slot] !== item) return false;
    const last = this.#items[--this.#size]!;
    last.slot = slot;
    this.#items[slot] = last;
    this.#items[this.#size] = undefined;
    item.slot = -1;
    return true;
  }

  /** Returns the items of now: they may be removed meanwhile. */
  toArray(): T[] {
    return this.#items.slice(0, this.#size) as T[];
  }
}
