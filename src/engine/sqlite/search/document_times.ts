import type { DatabaseSync } from "node:sqlite";
import { first, RECENCY } from "../store/read_only.ts";

/** Time of the last change of every document, in memory until the database changes. */
export class DocumentTimes {
  readonly #db: DatabaseSync;
  #times: Float64Array = new Float64Array();
  #newest = 0;
  #version: string | undefined;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Time of the last change of all documents, in milliseconds since 1970; 0 without documents. */
  get newest(): number {
    return this.#newest;
  }

  /** Reads the times if the database has another version than at the last call. */
  refresh(version: string): void {
    if (version === this.#version) return;
    const row = first<{ ids: string; times: string }>(
      this.#db,
      `SELECT json_group_array(d.id) AS ids, json_group_array(${RECENCY}) AS times FROM documents d`,
    );
    const ids = JSON.parse(row?.ids ?? "[]") as number[];
    const times = (JSON.parse(row?.times ?? "[]") as string[]).map((time) => Date.parse(time) || 0);
    this.#times = new Float64Array(ids.reduce((max, id) => Math.max(max, id), 0) + 1);
    for (const [index, id] of ids.entries()) this.#times[id] = times[index] ?? 0;
    this.#newest = times.reduce((max, time) => Math.max(max, time), 0);
    this.#version = version;
  }

  /** Returns the time of the last change of a document, in milliseconds since 1970; 0 if it does not exist. */
  of(document: number): number {
    return this.#times[document] ?? 0;
  }
}
