import type { DatabaseSync } from "node:sqlite";
import { conversionStep, hasVectorsToPack, lastDeletion, packingStep, verifyPages } from "../store/mod.ts";

/** Number of deleted chunks after which pages of codes are verified again. */
const MAX_DELETIONS = 1024;

/** Converts vectors of older versions, writes codes of vectors, and replaces codes that are damaged or outdated. */
export class VectorMaintenance implements Disposable {
  readonly #db: DatabaseSync;
  /** Page after which verification continues. Undefined: all pages are verified. */
  #lastVerified: number | undefined = 0;
  /** Last entry of the deletion log when the verification began. */
  #lastDeletion: number;
  #packing: ReturnType<typeof setTimeout> | undefined;

  /** @param db The writing connection. */
  constructor(db: DatabaseSync) {
    this.#db = db;
    this.#lastDeletion = lastDeletion(db);
  }

  /** Works for some milliseconds. Returns whether more steps are needed. */
  step(): boolean {
    return conversionStep(this.#db) || packingStep(this.#db) || this.#verify();
  }

  /**
   * Writes codes soon, if there are enough vectors. Unlike other maintenance, this does not wait for a pause of the
   * writes: searches compare vectors without codes one by one.
   */
  pack(): void {
    if (this.#packing !== undefined) return;
    this.#packing = setTimeout(() => {
      this.#packing = undefined;
      try {
        if (hasVectorsToPack(this.#db)) packingStep(this.#db);
      } catch {
        // A full disk, for example. The next vectors try again.
      }
    }, 0);
  }

  /** Cancels pending work. */
  [Symbol.dispose](): void {
    clearTimeout(this.#packing);
  }

  #verify(): boolean {
    const last = lastDeletion(this.#db);
    if (last - this.#lastDeletion >= MAX_DELETIONS) {
      this.#lastDeletion = last;
      this.#lastVerified = 0;
    }
    if (this.#lastVerified === undefined) return false;
    this.#lastVerified = verifyPages(this.#db, this.#lastVerified);
    return this.#lastVerified !== undefined;
  }
}
