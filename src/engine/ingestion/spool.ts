import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import { syncDirectory } from "../../folder/mod.ts";

/** A file in the spool, synced to disk. */
export interface SpooledFile {
  /** Name in the spool directory. */
  readonly name: string;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly sha256: string;
  /** Size in bytes. */
  readonly sizeBytes: number;
}

/**
 * The directory in which uploaded files wait for ingestion. File names are random: names given by senders
 * never reach the file system.
 */
export class Spool {
  readonly #dir: string;

  /** @param dir Path of an existing directory. */
  constructor(dir: string) {
    this.#dir = dir;
  }

  /**
   * Returns the path of a file.
   *
   * @throws {TypeError} For the name of another directory: a database that somebody has changed could name any file, which
   * would be read and then removed.
   */
  path(name: string): string {
    if (name === "" || name === ".." || basename(name) !== name) {
      throw new TypeError("name must be a file name");
    }
    return join(this.#dir, name);
  }

  /**
   * Writes chunks to a new file as they arrive. Resolves after the file and its directory entry are synced to
   * disk; on an error the file is removed.
   *
   * @param options.syncsDirectory Whether the directory entry is synced; if not, {@linkcode Spool.sync} must follow.
   */
  async write(
    chunks: AsyncIterable<Uint8Array>,
    { syncsDirectory = true }: { syncsDirectory?: boolean } = {},
  ): Promise<SpooledFile> {
    const name = crypto.randomUUID();
    try {
      const hash = createHash("sha256");
      let sizeBytes = 0;
      {
        using file = await Deno.open(this.path(name), { write: true, createNew: true, mode: 0o600 });
        for await (const chunk of chunks) {
          hash.update(chunk);
          sizeBytes += chunk.byteLength;
          for (let at = 0; at < chunk.byteLength;) at += await file.write(chunk.subarray(at));
        }
        await file.sync();
      }
      if (syncsDirectory) await this.sync();
      return { name, sha256: hash.digest("hex"), sizeBytes };
    } catch (error) {
      // A file that cannot be removed is swept at the next start; the first error matters more.
      await this.remove(name).catch(() => {});
      throw error;
    }
  }

  /** Removes a file. Does nothing if it does not exist. */
  async remove(name: string): Promise<void> {
    try {
      await Deno.remove(this.path(name));
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }

  /**
   * Removes all files except those in `keep`. A process that ends between writing a file and accepting its
   * job, or between ending a job and removing its file, leaves such files.
   *
   * @returns Number of removed files.
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

  /** Makes new directory entries durable. */
  sync(): Promise<void> {
    return syncDirectory(this.#dir);
  }
}
