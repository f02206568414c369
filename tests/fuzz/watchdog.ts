/** Options of {@linkcode startWatchdog}. */
export interface WatchdogOptions {
  /** Name of the target. */
  readonly name: string;
  readonly seed: number;
  /** Maximum time of one input, in milliseconds. */
  readonly timeoutMs: number;
}

/** Ends the process if an input takes too long. */
export interface Watchdog extends Disposable {
  /** Starts the timeout of an input. */
  onIteration(iteration: number): void;
}

/**
 * Watches a fuzz target from a thread: a parser that loops blocks every timer of its own thread. Prints how
 * to repeat the input, then kills the process.
 */
export function startWatchdog(options: WatchdogOptions): Watchdog {
  const current = new Float64Array(new SharedArrayBuffer(8)).fill(-1);
  const worker = new Worker(new URL("watchdog_thread.ts", import.meta.url), { type: "module" });
  worker.postMessage({ ...options, current });
  return {
    onIteration: (iteration) => {
      current[0] = iteration;
    },
    [Symbol.dispose]: () => worker.terminate(),
  };
}
