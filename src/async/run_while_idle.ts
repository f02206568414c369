/** Options of {@linkcode runWhileIdle}. */
export interface IdleOptions {
  /** Whether the thread still has nothing else to do. */
  readonly isIdle: () => boolean;
  /** Time after which no step begins, in milliseconds. @default {Infinity} */
  readonly maxMs?: number;
  /** Returns a time in milliseconds. @default {performance.now} */
  readonly now?: () => number;
}

/**
 * Prepares a thread for its first request in steps, as long as it has nothing else to do. Messages are received between
 * them, so that a request waits for one step at most. The first step that fails is the last one. Never rejects: damage is
 * reported by the requests that need the data.
 *
 * @example
 * ```ts
 * import { runWhileIdle } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const done: number[] = [];
 * await runWhileIdle([1, 2, 3].map((n) => () => done.push(n)), { isIdle: () => done.length < 2 });
 * assertEquals(done, [1, 2]);
 * ```
 */
export async function runWhileIdle(
  steps: Iterable<() => unknown>,
  { isIdle, maxMs = Infinity, now = () => performance.now() }: IdleOptions,
): Promise<void> {
  const end = now() + maxMs;
  try {
    const iterator = steps[Symbol.iterator]();
    while (isIdle() && now() < end) {
      const { done, value: step } = iterator.next();
      if (done) return;
      await step();
      await new Promise((resolve) => setTimeout(resolve));
    }
  } catch {
    // As documented.
  }
}
