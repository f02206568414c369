import type { EngineClient } from "../client/mod.ts";
import { EvalError } from "./errors.ts";

/** How often to ask how far the vectors are, and how long they may stand still, in milliseconds. */
const POLL_MS = 250;
const STALL_MS = 120_000;

/** What waiting for vectors uses. */
export interface VectorsOptions {
  /** Waits. */
  readonly pause: (ms: number) => Promise<void>;
  /** Told of the share that is done, each time that it has grown. */
  readonly onProgress: (embedded: number, total: number) => void;
}

/**
 * Waits until every chunk has its vector; an engine without an embedding model has none to wait for.
 *
 * @throws {EvalError} When two minutes bring no further vector.
 */
export async function waitForVectors(
  client: EngineClient,
  { pause, onProgress }: VectorsOptions,
): Promise<void> {
  for (let seen = -1, still = 0;; await pause(POLL_MS)) {
    const { vectors } = await client.status();
    if (vectors == null) return;
    const done = vectors.embedded + (vectors.refused ?? 0);
    if (done >= vectors.total) return;
    if (done > seen) {
      onProgress(done, vectors.total);
      [seen, still] = [done, 0];
    } else if ((still += POLL_MS) > STALL_MS) {
      throw new EvalError(
        `The vectors stand at ${done} of ${vectors.total} and grow no further: ${
          vectors.error ?? "see the engine's log"
        }. --mode fts measures without them`,
      );
    }
  }
}
