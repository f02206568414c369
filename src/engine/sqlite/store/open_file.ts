import { storageFaultError } from "./storage_errors.ts";

/**
 * A file of the store while it is open, to notice that it has been removed or that another file has its path: after
 * `rm -r` or `mv` of the data directory, a restored copy, or another volume mounted over it.
 *
 * SQLite continues to write to the open file in that case. Nothing would fail, and everything that was
 * acknowledged since would be gone after the next start.
 */
export class OpenFile {
  readonly #path: string;
  /** Identifies the file; undefined: it was missing, and is not watched. */
  readonly identity: string | undefined;

  /**
   * @param path Path of a file that this process has open.
   * @param identity Identity of the file, if another thread has opened it before.
   */
  constructor(path: string, identity: string | undefined = identify(path)) {
    this.#path = path;
    this.identity = identity;
  }

  /**
   * Checks that the path still leads to the file. Takes some microseconds.
   *
   * @throws {KnowledgeBaseError} `storage_damaged` when it does not.
   */
  assertInPlace(): void {
    if (this.identity === undefined || identify(this.#path, this.identity) === this.identity) return;
    const cause = new Error(
      `${this.#path} has been removed or replaced since kb-mcp opened it: put it back, then start kb-mcp again`,
    );
    throw storageFaultError("storage_damaged", cause);
  }
}

/**
 * Returns what identifies a file that is kept open: device and inode, or its existence on systems without inodes;
 * undefined if there is none.
 *
 * @param fallback Result for a file that cannot be inspected for another reason.
 */
function identify(path: string, fallback?: string): string | undefined {
  try {
    const { dev, ino } = Deno.statSync(path);
    return ino ? `${dev}:${ino}` : "exists";
  } catch (error) {
    return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory
      ? undefined
      : fallback;
  }
}
