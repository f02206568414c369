import type { DatabaseSync } from "node:sqlite";
import type { QueueState } from "../../knowledge_base/mod.ts";
import { count } from "./sql.ts";

/**
 * Numbers of queued jobs. Counting them for each new job would cost more than the job, so they are kept in memory, and counted
 * again only after a rollback.
 */
export class QueueCounter {
  readonly #db: DatabaseSync;
  #state: { queuedNotes: number; queuedFiles: number } | undefined;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Numbers as of the current transaction. */
  get state(): QueueState {
    return { ...this.#counts() };
  }

  /** Total number of queued jobs. */
  get size(): number {
    const { queuedNotes, queuedFiles } = this.#counts();
    return queuedNotes + queuedFiles;
  }

  /** Adds to the number of notes. To be called after the table has changed. */
  addNotes(n: number): void {
    if (this.#state) this.#state.queuedNotes += n;
  }

  /** Adds to the number of files. To be called after the table has changed. */
  addFiles(n: number): void {
    if (this.#state) this.#state.queuedFiles += n;
  }

  /** To be called after a rollback. */
  forget(): void {
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
