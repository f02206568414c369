import type { ClaimedFile, ClaimOptions, IngestionQueue } from "../knowledge_base/mod.ts";

/** Maximum number of files that are claimed together. */
const MAX_CLAIMED = 16;
/** Extraction time up to which a file is quick, in milliseconds. */
const QUICK_MS = 25;

/**
 * Claims files before a process is free, so that no process waits for the commit of a claim.
 *
 * Claimed files wait for each other, whatever other senders queue meanwhile, and an attempt of each is counted if the
 * process is killed. So the next file is claimed only when a process is free, unless the last files were quick: then up to
 * 16 are claimed together, which wait for less than half a second.
 */
export class ClaimedFiles {
  readonly #queue: Pick<IngestionQueue, "claimFiles" | "releaseFile">;
  readonly #files: ClaimedFile[] = [];
  #claiming: Promise<void> | undefined;
  #max = 1;

  constructor(queue: Pick<IngestionQueue, "claimFiles" | "releaseFile">) {
    this.#queue = queue;
  }

  /** Number of claimed files that have not been started. */
  get size(): number {
    return this.#files.length;
  }

  /**
   * Returns the next file.
   *
   * @param tryTakeLarge Returns whether the file may be a large one. Called if no file is claimed yet.
   */
  async next(tryTakeLarge: () => boolean): Promise<ClaimedFile | undefined> {
    // It reports its error when there is no file.
    await this.#claiming?.catch(() => {});
    if (this.#files.length === 0) await this.#claim({ withLarge: tryTakeLarge() });
    const file = this.#files.shift();
    if (this.#max > 1 && this.#files.length < this.#max / 2) this.#claimAhead();
    return file;
  }

  /** Records how long the extraction of a file took. */
  extracted(ms: number): void {
    this.#max = ms > QUICK_MS ? 1 : Math.min(2 * this.#max, MAX_CLAIMED);
  }

  /** Forgets a file that was cancelled. Returns whether it had not been started. */
  remove(jobId: number): boolean {
    const at = this.#files.findIndex((file) => file.jobId === jobId);
    if (at >= 0) this.#files.splice(at, 1);
    return at >= 0;
  }

  /** Requeues the files that have not been started. */
  async release(): Promise<void> {
    await this.#claiming?.catch(() => {});
    await Promise.all(this.#files.splice(0).map(({ jobId }) => this.#queue.releaseFile(jobId)));
  }

  #claimAhead(): void {
    this.#claiming ??= this.#claim({ stopsAtLarge: true }).finally(() => this.#claiming = undefined);
    this.#claiming.catch(() => {/* reported by the next claim */});
  }

  async #claim(options: ClaimOptions): Promise<void> {
    this.#files.push(...await this.#queue.claimFiles({ ...options, max: this.#max }));
  }
}
