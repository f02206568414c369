/** Time before each step, in milliseconds. A step blocks the thread for up to 20 ms. */
const INTERVAL_MS = 100;

/**
 * Runs steps that make later requests faster, with pauses in which the requests of clients that waited for the server
 * are served.
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
