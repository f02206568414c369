/** Time before each step, in milliseconds. A step blocks the thread for up to 20 ms. */
const INTERVAL_MS = 100;

/**
 * Runs steps that speed up later requests. A delay before each step lets the server handle waiting requests
 * first.
 *
 * @param signal Skips the remaining steps.
 */
export async function warmUp(steps: readonly (() => unknown)[], signal: AbortSignal): Promise<void> {
  for (const step of steps) {
    await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS));
    if (signal.aborted) return;
    await step();
  }
}
