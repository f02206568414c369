/** Options of {@linkcode mapConcurrent}. */
export interface ConcurrencyOptions {
  /** Maximum number of items at the same time. */
  readonly limit: number;
  /** Starts no further item when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Maps items concurrently. The results are in the order of the items.
 *
 * Rejects with the first error, or with the reason of the signal, after the items in progress have ended: nothing of
 * the work continues once the caller has its result.
 *
 * @example
 * ```ts
 * import { mapConcurrent } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const squares = await mapConcurrent([1, 2, 3], { limit: 2 }, async (n) => await Promise.resolve(n * n));
 * assertEquals(squares, [1, 4, 9]);
 * ```
 */
export async function mapConcurrent<T, R>(
  items: readonly T[],
  { limit, signal }: ConcurrencyOptions,
  map: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  let next = 0;
  let failure: { readonly error: unknown } | undefined;
  async function work() {
    while (next < items.length && !failure && !signal?.aborted) {
      const index = next++;
      try {
        results[index] = await map(items[index]!, index);
      } catch (error) {
        failure ??= { error };
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  if (failure) throw failure.error;
  signal?.throwIfAborted();
  return results;
}
