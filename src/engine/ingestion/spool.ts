import { createHash } from "node:crypto";
import { join } from "node:path";

/** A file whose bytes are on disk. */
export interface SpooledFile {
  /** Its name in the spool directory. */
  readonly name: string;
  /** SHA-256 of its bytes, hexadecimal. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

/**
 * The directory where the bytes of files wait for their ingestion. Names are random, so nothing that a sender says
 * of a file ever reaches the file system.
 */
export class Spool {
  readonly #dir: string;

  /** @param dir Path of the directory, which is there. */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Where a file is. */
  path(name: string): string {
    return join(this.#dir, name);
  }

  /**
   * Writes bytes to a new file as they come, and returns when they and the directory's entry are on disk. On any
   * failure nothing is left behind.
   */
  async write(pieces: AsyncIterable<Uint8Array>): Promise<SpooledFile> {
    const name = crypto.randomUUID();
    try {
      const hash = createHash("sha256");
      let sizeBytes = 0;
      {
        using file = await Deno.open(this.path(name), { write: true, createNew: true, mode: 0o600 });
        for await (const piece of pieces) {
          hash.update(piece);
          sizeBytes += piece.byteLength;
          for (let at = 0; at < piece.byteLength;) at += await file.write(piece.subarray(at));
        }
        await file.sync();
      }
      await this.#syncDirectory();
      return { name, sha256: hash.digest("hex"), sizeBytes };
    } catch (error) {
      // Best effort: what stays is swept at the next start, and the first error is the one that tells.
      await this.remove(name).catch(() => {});
      throw error;
    }
  }

  /** Removes a file; one that is gone already is no error. */
  async remove(name: string): Promise<void> {
    try {
      await Deno.remove(this.path(name));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }

  /**
   * Removes every file that is not in `keep`: what a process left that ended between writing a file and accepting its
   * job, or between ending a job and removing its file.
   *
   * @returns How many were removed.
   */
  async sweep(keep: ReadonlySet<string>): Promise<number> {
    let removed = 0;
    for await (const entry of Deno.readDir(this.#dir)) {
      if (!entry.isFile || keep.has(entry.name)) continue;
      await this.remove(entry.name);
      removed++;
    }
    return removed;
  }

  /** A new name is durable only when its directory is synced too (fsync(2)). Windows has no such call, nor the need. */
  async #syncDirectory(): Promise<void> {
    if (Deno.build.os === "windows") return;
    using dir = await Deno.open(this.#dir);
    await dir.sync();
  }
}
