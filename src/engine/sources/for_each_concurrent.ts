/** Options of {@linkcode forEachConcurrent}. */
export interface ConcurrencyOptions {
  /** Maximum number of items at the same time. */
  readonly limit: number;
  /** Starts no further item. */
  readonly signal: AbortSignal;
}

/** Runs `work` for each item. Rejects with the first error, after the items in progress have ended. */
export async function forEachConcurrent<T>(
  items: Iterable<T>,
  { limit, signal }: ConcurrencyOptions,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let failure: { readonly error: unknown } | undefined;
  async function drain() {
    for (let next = iterator.next(); !next.done && !failure && !signal.aborted; next = iterator.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  }
  await Promise.all(Array.from({ length: limit }, drain));
  if (failure) throw failure.error;
  signal.throwIfAborted();
}
