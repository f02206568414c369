import type { DatabaseSync } from "node:sqlite";
import type { JobRow } from "./jobs.ts";
import { first } from "./sql.ts";

/** Collects the ids of jobs that end, and of the archives and messages that they are from, for those who wait. */
export class EndedJobs {
  readonly #db: DatabaseSync;
  #ids = new Set<number>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Adds a job and the containers around it. */
  add({ id, parent_job_id }: Pick<JobRow, "id" | "parent_job_id">): void {
    this.#ids.add(id);
    for (let parent = parent_job_id; parent !== null && !this.#ids.has(parent);) {
      this.#ids.add(parent);
      const row = first<{ id: number | null }>(
        this.#db,
        "SELECT parent_job_id AS id FROM jobs WHERE id = ?",
        parent,
      );
      parent = row?.id ?? null;
    }
  }

  /** Returns the collected ids, and forgets them. */
  take(): number[] {
    const ids = [...this.#ids];
    this.#ids.clear();
    return ids;
  }
}
