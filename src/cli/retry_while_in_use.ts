import { delay } from "../async/mod.ts";
import { ConfigError } from "../config/mod.ts";
import { DataDirInUseError } from "../engine/mod.ts";

/** Options of {@linkcode retryWhileInUse}. */
export interface RetryOptions {
  /** Maximum time to wait, in milliseconds. */
  readonly maxWaitMs: number;
  /** Called after each attempt; an error that it throws ends the wait. */
  readonly onInUse?: (error: unknown) => void | Promise<void>;
  /** Ends the wait. */
  readonly signal?: AbortSignal;
}

/** Delay before the data directory is tried again, in milliseconds. */
const RETRY_MS = 50;

/**
 * Opens a data directory, and tries again while another process uses it: most commands do so for a moment only.
 *
 * @throws {ConfigError} The last error of `open`.
 */
export async function retryWhileInUse<T>(open: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { maxWaitMs, onInUse, signal } = options;
  for (const startedAt = performance.now();;) {
    try {
      return await open();
    } catch (error) {
      if (!isInUse(error) || performance.now() - startedAt >= maxWaitMs) throw error;
      await onInUse?.(error);
      await delay(RETRY_MS, signal, { ref: true });
      signal?.throwIfAborted();
    }
  }
}

/** Whether an error says that another process uses the data directory. */
export function isInUse(error: unknown): error is ConfigError {
  return error instanceof ConfigError && error.cause instanceof DataDirInUseError;
}
