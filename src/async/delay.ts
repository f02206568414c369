import { setTimeout as timer } from "node:timers/promises";

/**
 * Resolves after a time, or as soon as the signal aborts. The timer does not keep the process alive.
 *
 * @param ms Time in milliseconds.
 *
 * @example
 * ```ts
 * import { delay } from "./mod.ts";
 * await delay(60_000, AbortSignal.abort());
 * ```
 */
export async function delay(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await timer(ms, undefined, { signal, ref: false });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
