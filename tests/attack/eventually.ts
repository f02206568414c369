/** Options of {@linkcode eventually}. */
export interface EventuallyOptions {
  readonly timeoutMs: number;
  /** The expected condition, for the error message. */
  readonly description: string;
  /** Time between attempts, in milliseconds. Default: 100. */
  readonly intervalMs?: number;
}

/**
 * Repeats a measurement until it is acceptable, and returns it.
 *
 * @throws {Error} With the last measurement, when none was acceptable in time.
 */
export async function eventually<T>(
  measure: () => Promise<T> | T,
  isAcceptable: (value: T) => boolean,
  { timeoutMs, description, intervalMs = 100 }: EventuallyOptions,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  while (true) {
    const value = await measure();
    if (isAcceptable(value)) return value;
    if (performance.now() > deadline) {
      const last = typeof value === "number" ? value.toFixed(1) : JSON.stringify(value);
      throw new Error(`${description} expected within ${timeoutMs / 1000} s, got ${last}`);
    }
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
}
