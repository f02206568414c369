import type { DatabaseSync } from "node:sqlite";
import type { QueueState } from "../../knowledge_base/mod.ts";
import { count } from "./sql.ts";

/**
 * Counts queued jobs. Counting the table for each new job would cost more than the job, so the counts are
 * kept in memory until a rollback.
 */
export class QueueCounter {
  readonly #db: DatabaseSync;
  #state: { queuedNotes: number; queuedFiles: number } | undefined;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Counts as of the current transaction. */
  get state(): QueueState {
    return { ...this.#counts() };
  }

  /** Total number of queued jobs. */
  get size(): number {
    const { queuedNotes, queuedFiles } = this.#counts();
    return queuedNotes + queuedFiles;
  }

  /** Adjusts the number of notes. Must be called after the change of the table. */
  addNotes(n: number): void {
    if (this.#state) this.#state.queuedNotes += n;
  }

  /** Adjusts the number of files. Must be called after the change of the table. */
  addFiles(n: number): void {
    if (this.#state) this.#state.queuedFiles += n;
  }

  /** Discards the counts. Must be called after a rollback. */
  invalidate(): void {
    this.#state = undefined;
  }

  #counts() {
    return this.#state ??= {
      queuedNotes: count(
        this.#db,
        "SELECT count(*) AS n FROM jobs WHERE status = 'queued' AND spool_file IS NULL",
      ),
      queuedFiles: count(
        this.#db,
        "SELECT count(*) AS n FROM jobs WHERE status = 'queued' AND spool_file IS NOT NULL",
      ),
    };
  }
}
