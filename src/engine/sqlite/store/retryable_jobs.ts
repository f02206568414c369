import type { DatabaseSync } from "node:sqlite";
import { addDays } from "./retention.ts";
import { all, run } from "./sql.ts";

/** Maximum total size of the files and notes that are kept for a retry, in bytes. */
export const MAX_RETRYABLE_BYTES = 2 ** 30;
/** Days for which they are kept. */
export const MAX_RETRYABLE_DAYS = 7;

/** Number of ended jobs after which their content is measured again. */
const CHECK_EVERY = 100;

/** Keeps the content of failed and cancelled jobs for a retry: the newest ones, up to the limits above. */
export class RetryableJobs {
  readonly #db: DatabaseSync;
  /** Upper bound of the kept bytes; unknown until they are measured. */
  #bytes = Infinity;
  #endedSinceCheck = 0;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /**
   * Drops the content of jobs that are over the limits. Must be called after a job has failed or was cancelled.
   *
   * @param addedBytes Size of its content.
   * @returns Spool files that are no longer needed.
   */
  add(addedBytes: number, now: string): string[] {
    this.#bytes += addedBytes;
    if (++this.#endedSinceCheck < CHECK_EVERY && this.#bytes <= MAX_RETRYABLE_BYTES) return [];
    return this.dropOld(now);
  }

  /** Drops the content of jobs that are over the limits. Returns spool files that are no longer needed. */
  dropOld(now: string): string[] {
    const jobs = all<{ id: number; name: string | null; bytes: number; time: string }>(
      this.#db,
      `SELECT id, spool_file AS name, size_bytes AS bytes, finished_at AS time FROM jobs
        WHERE status IN ('failed', 'cancelled') AND (spool_file IS NOT NULL OR text IS NOT NULL)
        ORDER BY finished_at DESC, id DESC`,
    );
    const oldest = addDays(now, -MAX_RETRYABLE_DAYS);
    let total = 0;
    const dropped = jobs.filter(({ bytes, time }) => {
      const fits = time > oldest && total + bytes <= MAX_RETRYABLE_BYTES;
      if (fits) total += bytes;
      return !fits;
    });
    for (const { id } of dropped) {
      run(this.#db, "UPDATE jobs SET spool_file = NULL, text = NULL WHERE id = ?", id);
    }
    this.#bytes = total;
    this.#endedSinceCheck = 0;
    return dropped.flatMap(({ name }) => name === null ? [] : [name]);
  }
}
