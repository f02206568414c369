import { setTimeout as timer } from "node:timers/promises";

/**
 * Waits until the time is over or the signal aborts; it resolves in both cases. The timer does not keep the process alive.
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
