/** Default of {@linkcode FileGroupsOptions.maxWaitMs}: some 20 files are read meanwhile, or a few on a busy machine. */
const DEFAULT_MAX_WAIT_MS = 50;

/** Options of {@linkcode FileGroups}. */
export interface FileGroupsOptions {
  /** Maximum time that a file waits for others, in milliseconds, whatever slow file is being read. @default {50} */
  readonly maxWaitMs?: number;
}

/**
 * Collects files that are read one after the other, to store them in one commit. Without this, the writer commits nearly
 * every file alone when it is faster than the reader: each commit is a sync of the disk and a segment of the index, and
 * makes all search threads read the index again.
 *
 * A file waits while more files are being read than wait. So a single one never waits, and of many, half are
 * stored while the other half are read.
 */
export class FileGroups {
  readonly #maxWaitMs: number;
  #reading = 0;
  #waiting: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor({ maxWaitMs = DEFAULT_MAX_WAIT_MS }: FileGroupsOptions = {}) {
    this.#maxWaitMs = maxWaitMs;
  }

  /**
   * Reads a file, and waits for others to be stored with it.
   *
   * @param read Returns undefined for a file that is not stored, for which nothing waits.
   * @returns What `read` returns. Those of a group are returned in one turn of the event loop.
   * @throws {unknown} What `read` throws.
   */
  async read<T>(read: () => Promise<T | undefined>): Promise<T | undefined> {
    this.#reading++;
    let result: T | undefined;
    try {
      result = await read();
    } finally {
      this.#reading--;
      if (result === undefined) this.#releaseIfComplete();
    }
    if (result !== undefined) await this.#others();
    return result;
  }

  /** Waits until the group is complete. */
  #others(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    this.#timer ??= setTimeout(() => this.#release(), this.#maxWaitMs);
    this.#releaseIfComplete();
    return promise;
  }

  #releaseIfComplete(): void {
    if (this.#waiting.length >= this.#reading) this.#release();
  }

  #release(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
