import type { DatabaseSync } from "node:sqlite";
import { countVectors, lastChunkId, missingVectors } from "../store/mod.ts";
import { Quarantine } from "./quarantine.ts";

/** Chunks to embed together. */
export interface Batch {
  readonly setId: number;
  /** Ids of chunks; empty if the scanned range has none. */
  readonly ids: readonly number[];
  /** Whether every chunk has been scanned. */
  readonly isEnd: boolean;
}

/**
 * Finds chunks without a vector, in the order of their ids. Ids only grow, so each chunk is scanned once.
 * Nothing is stored: after a restart the queue again contains every chunk without a vector.
 */
export class WorkQueue {
  /** Chunks to retry later. */
  readonly quarantine = new Quarantine();
  readonly #db: DatabaseSync;
  readonly #currentSet: () => number;
  #setId = 0;
  /** Chunks up to this id have a vector or were claimed. */
  #scannedTo = 0;

  /** @param currentSet Returns the id of the set to fill. When it changes, the queue starts over. */
  constructor(db: DatabaseSync, currentSet: () => number) {
    this.#db = db;
    this.#currentSet = currentSet;
  }

  /** Id of the set that is filled. */
  get setId(): number {
    return this.#setId;
  }

  /** Follows the current set, and skips the scan of a set that is complete. */
  refresh(): void {
    this.#followSet();
    if (this.#scannedTo > 0) return;
    const { embedded, refused, total } = countVectors(this.#db, this.#setId);
    if (embedded + refused >= total) this.#scannedTo = lastChunkId(this.#db);
  }

  /** Takes the next chunks without a vector, at most `limit`. No other claim returns them. */
  claim(limit: number): Batch {
    this.#followSet();
    const { ids, upTo, isEnd } = missingVectors(this.#db, this.#setId, this.#scannedTo, limit);
    this.#scannedTo = upTo;
    return { setId: this.#setId, ids, isEnd };
  }

  /** Starts over with the first chunk. */
  rescan(): void {
    this.#scannedTo = 0;
    this.quarantine.clear();
  }

  #followSet(): void {
    const setId = this.#currentSet();
    if (setId === this.#setId) return;
    this.#setId = setId;
    this.rescan();
  }
}
