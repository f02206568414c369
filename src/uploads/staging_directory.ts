import { basename, dirname } from "node:path";
import type { Logger } from "../telemetry/mod.ts";

const PREFIX = "kb-mcp-uploads-";
const LOCK_FILE = "lock";
/**
 * Minimum age of a leftover: a process that has created its directory but not locked it yet looks like a dead
 * one.
 */
const MIN_LEFTOVER_AGE_MS = 60_000;

/**
 * A private directory (mode 0700) for staged files. It holds a file that stays locked while this process
 * lives, so that a later process can tell the leftovers of a killed one from a directory in use.
 */
export class StagingDirectory implements AsyncDisposable {
  /** Path of the directory. */
  readonly directory: string;
  /** Resolves when the leftovers of killed processes have been removed. Never rejects. */
  readonly leftoversRemoved: Promise<void>;
  readonly #lock: Deno.FsFile;

  private constructor(directory: string, lock: Deno.FsFile, leftoversRemoved: Promise<void>) {
    this.directory = directory;
    this.#lock = lock;
    this.leftoversRemoved = leftoversRemoved;
  }

  /** Creates the directory. Leftovers in the same parent directory are removed in the background. */
  static async open(parent: string | undefined, log: Logger): Promise<StagingDirectory> {
    const directory = await Deno.makeTempDir({
      prefix: PREFIX,
      ...(parent === undefined ? {} : { dir: parent }),
    });
    const lock = await Deno.open(`${directory}/${LOCK_FILE}`, { write: true, createNew: true, mode: 0o600 });
    await lock.lock(true);
    const leftoversRemoved = removeLeftovers(directory, log).catch((error) =>
      log.debug("failed to look for leftover uploads", { error })
    );
    return new StagingDirectory(directory, lock, leftoversRemoved);
  }

  /** Removes the directory and its contents. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.leftoversRemoved;
    this.#lock.close(); // First, because Windows cannot remove an open file.
    await Deno.remove(this.directory, { recursive: true }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
}

async function removeLeftovers(ownDirectory: string, log: Logger): Promise<void> {
  const parent = dirname(ownDirectory);
  const { uid } = await Deno.stat(ownDirectory);
  for await (const { name } of Deno.readDir(parent)) {
    if (!name.startsWith(PREFIX) || name === basename(ownDirectory)) continue;
    try {
      if (await isLeftover(`${parent}/${name}`, uid)) {
        await Deno.remove(`${parent}/${name}`, { recursive: true });
        log.info("removed uploads of a killed process", { directory: name });
      }
    } catch (error) {
      log.debug("failed to remove leftover uploads", { directory: name, error });
    }
  }
}

/**
 * Returns whether the process that created a directory is gone. Any doubt means no: another user's directory,
 * a symbolic link (in a shared /tmp anybody can create one that points to our files), and a lock file that is
 * missing, recent or locked.
 */
async function isLeftover(directory: string, ownUid: number | null): Promise<boolean> {
  const { isDirectory, uid } = await Deno.lstat(directory);
  if (!isDirectory || uid !== ownUid) return false;
  const path = `${directory}/${LOCK_FILE}`;
  const { isFile, mtime } = await Deno.lstat(path);
  // The system clock, not an injected one, because it also sets the times of files.
  if (!isFile || mtime === null || isRecent(mtime)) return false;
  using lock = await Deno.open(path, { write: true });
  // Deno before 2.7 has no tryLock, and lock() would wait as long as the other process lives.
  return "tryLock" in lock && await lock.tryLock(true);
}

/** A time in the future is not recent: the clock was set back since. */
function isRecent(time: Date): boolean {
  return Math.abs(Date.now() - time.getTime()) < MIN_LEFTOVER_AGE_MS;
}
