import type { DatabaseSync } from "node:sqlite";
import { countVectors, lastChunkId, missingVectors, missingVectorsOf, stagedContents } from "../store/mod.ts";
import { Quarantine } from "./quarantine.ts";

/** Maximum number of recent chunks of each kind. An import brings more; the oldest of them can wait. */
const MAX_RECENT = 1000;

/** Chunks to embed together. */
export interface Batch {
  readonly setId: number;
  /** Ids of chunks; empty if the scanned range has none. */
  readonly ids: readonly number[];
  /** Whether every chunk has been scanned. */
  readonly isEnd: boolean;
  /** Whether there are chunks of files that wait for an import to end. */
  readonly isDeferred: boolean;
}

/** Options of {@linkcode WorkQueue}. */
export interface WorkQueueOptions {
  /**
   * Whether chunks of files wait, so that an import has the processors: all but one batch every 10 seconds. Notes never
   * wait.
   *
   * @default {() => false}
   */
  readonly isImporting?: (() => boolean) | undefined;
  /** Returns the time of a monotonic clock in milliseconds. @default {() => performance.now()} */
  readonly now?: (() => number) | undefined;
}

/** Time between two batches of files during an import, in milliseconds. */
const IMPORT_INTERVAL_MS = 10_000;

/** Ids of chunks without a vector, oldest first. */
interface MissingChunks {
  readonly notes: number[];
  readonly others: number[];
}

/**
 * Finds chunks without a vector: those of new notes first, then those of new documents, then earlier ones, of
 * notes before others; the newest first in each group. All but the last 1,000 new chunks count as earlier, so
 * that a note does not wait for an import.
 *
 * Ids of chunks only grow, so each chunk is scanned once; those of a text that was written in slices, when it is complete. Nothing is stored: after a restart the queue again
 * contains every chunk without a vector.
 */
export class WorkQueue {
  /** Chunks to retry later. */
  readonly quarantine = new Quarantine();
  readonly #db: DatabaseSync;
  readonly #currentSet: () => number | undefined;
  #setId = 0;
  #recent: MissingChunks = { notes: [], others: [] };
  #earlier: MissingChunks = { notes: [], others: [] };
  /** Chunks up to this id are no new ones; undefined before the first scan. */
  #newAfter: number | undefined;
  /** New chunks up to this id are scanned. */
  #newTo = 0;
  /** Earlier chunks up to this id are scanned. */
  #earlierTo = 0;
  /** Texts that were being written at the last scan. */
  #staged: readonly number[] = [];
  readonly #isImporting: () => boolean;
  readonly #now: () => number;
  /** Time of the last batch of files. */
  #filesAt = -Infinity;

  /** @param currentSet Returns the id of the set to fill. When it changes, the queue starts over. */
  constructor(
    db: DatabaseSync,
    currentSet: () => number | undefined,
    { isImporting = () => false, now = () => performance.now() }: WorkQueueOptions = {},
  ) {
    this.#db = db;
    this.#currentSet = currentSet;
    this.#isImporting = isImporting;
    this.#now = now;
  }

  /** Id of the set that is filled; 0 if there is none. */
  get setId(): number {
    return this.#setId;
  }

  /** Follows the current set, and skips the scan of a set that is complete. */
  refresh(): void {
    this.#followSet();
    if (this.#newAfter !== undefined || this.#setId === 0) return;
    const { embedded, refused, total } = countVectors(this.#db, this.#setId);
    this.#startScan();
    if (embedded + refused >= total) this.#earlierTo = this.#newTo;
  }

  /** Takes the next chunks without a vector, at most `limit`. No other claim returns them. */
  claim(limit: number): Batch {
    this.#followSet();
    const setId = this.#setId;
    if (setId === 0) return { setId, ids: [], isEnd: true, isDeferred: false };
    const newAfter = this.#newAfter ?? this.#startScan();
    this.#scanNew();
    const { notes, others } = this.#recent;
    const isScanned = this.#earlierTo >= newAfter;
    if (!isScanned && notes.length + others.length === 0) this.#scanEarlier(newAfter);
    const groups = [notes, others, ...(isScanned ? [this.#earlier.notes, this.#earlier.others] : [])];
    const group = groups.find(({ length }) => length > 0);
    const isOfFiles = group === others || group === this.#earlier.others;
    if (isOfFiles && this.#mustWait()) return { setId, ids: [], isEnd: false, isDeferred: true };
    const ids = group?.splice(-limit) ?? [];
    const isEnd = ids.length === 0 && isScanned && this.#newTo >= lastChunkId(this.#db);
    return { setId, ids, isEnd, isDeferred: false };
  }

  /** Whether a batch of files has to wait. If not, it counts as taken. */
  #mustWait(): boolean {
    const now = this.#now();
    if (now - this.#filesAt < IMPORT_INTERVAL_MS && this.#isImporting()) return true;
    this.#filesAt = now;
    return false;
  }

  /** Starts over with all chunks. */
  rescan(): void {
    this.#newAfter = undefined;
    this.#recent = { notes: [], others: [] };
    this.#earlier = { notes: [], others: [] };
    this.quarantine.clear();
  }

  #startScan(): number {
    this.#earlierTo = 0;
    this.#newTo = this.#newAfter = lastChunkId(this.#db);
    return this.#newAfter;
  }

  #scanNew(): void {
    const staged = stagedContents(this.#db);
    for (const content of this.#staged) {
      if (!staged.includes(content)) {
        // A long text may have more chunks than a call may have arguments.
        for (const id of missingVectorsOf(this.#db, this.#setId, content)) this.#earlier.others.push(id);
      }
    }
    this.#staged = staged;
    const { upTo, ...missing } = missingVectors(this.#db, this.#setId, { after: this.#newTo });
    this.#newTo = upTo;
    for (const kind of ["notes", "others"] as const) {
      const recent = this.#recent[kind];
      recent.push(...missing[kind]);
      this.#earlier[kind].push(...recent.splice(0, Math.max(0, recent.length - MAX_RECENT)));
    }
  }

  #scanEarlier(newAfter: number): void {
    const range = { after: this.#earlierTo, last: newAfter };
    const { upTo, notes, others } = missingVectors(this.#db, this.#setId, range);
    this.#earlierTo = upTo;
    this.#earlier.notes.push(...notes);
    this.#earlier.others.push(...others);
  }

  #followSet(): void {
    const setId = this.#currentSet() ?? 0;
    if (setId === this.#setId) return;
    this.#setId = setId;
    this.rescan();
  }
}
