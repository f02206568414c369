/**
 * Recognizes lists that have only numbers and lists of numbers, such as coordinates.
 *
 * Remembers the other lists, so that asking about every list of a nested value reads each item a constant number of
 * times: asking about each on its own takes time quadratic in the depth, of which a small file can have much.
 *
 * @example
 * ```ts
 * import { NumericLists } from "./numeric_lists.ts";
 * import { assertEquals } from "@std/assert";
 * const lists = new NumericLists();
 * assertEquals(lists.has([[1, 2], [3]]), true);
 * assertEquals(lists.has([[1, 2], ["3"]]), false);
 * ```
 */
export class NumericLists {
  readonly #others = new WeakSet<readonly unknown[]>();

  /** Returns whether a list is numeric. Uses no recursion. */
  has(list: readonly unknown[]): boolean {
    if (this.#others.has(list)) return false;
    // The lists that contain the current item, outermost first, each with the index of its next item.
    const open = [{ list, next: 0 }];
    for (let current = open.at(-1); current; current = open.at(-1)) {
      if (current.next === current.list.length) {
        open.pop();
        continue;
      }
      const item = current.list[current.next++];
      if (typeof item === "number") continue;
      if (Array.isArray(item) && !this.#others.has(item)) {
        open.push({ list: item, next: 0 });
        continue;
      }
      for (const { list } of open) this.#others.add(list);
      return false;
    }
    return true;
  }
}
