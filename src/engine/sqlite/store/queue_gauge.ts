import type { DatabaseSync } from "node:sqlite";
import type { QueueState } from "../../knowledge_base/mod.ts";
import { count } from "./sql.ts";

/**
 * How many jobs wait. Counting them for every job accepted would cost more than accepting it, so the writer keeps the
 * numbers, and counts again only after a rollback has made them wrong.
 */
export class QueueGauge {
  readonly #db: DatabaseSync;
  #state: { queuedNotes: number; queuedFiles: number } | undefined;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Where the queue stands, as the open transaction sees it. */
  get state(): QueueState {
    return { ...this.#counted() };
  }

  /** Jobs that wait. */
  get size(): number {
    const { queuedNotes, queuedFiles } = this.#counted();
    return queuedNotes + queuedFiles;
  }

  /** Notes came (or, negative, went). To be called after the table was changed. */
  addNotes(n: number): void {
    if (this.#state) this.#state.queuedNotes += n;
  }

  /** Files came (or, negative, went). To be called after the table was changed. */
  addFiles(n: number): void {
    if (this.#state) this.#state.queuedFiles += n;
  }

  /** To be called when something was rolled back. */
  forget(): void {
    this.#state = undefined;
  }

  #counted() {
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
