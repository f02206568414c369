import { setTimeout as timer } from "node:timers/promises";

/**
 * Resolves after a time, or as soon as the signal aborts.
 *
 * @param ms Time in milliseconds.
 * @param options.ref Whether the timer keeps the process alive. Default: false.
 *
 * @example
 * ```ts
 * import { delay } from "./mod.ts";
 * await delay(60_000, AbortSignal.abort());
 * ```
 */
export async function delay(
  ms: number,
  signal: AbortSignal | undefined,
  { ref = false }: { readonly ref?: boolean } = {},
): Promise<void> {
  try {
    await timer(ms, undefined, { ref, ...(signal && { signal }) });
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
