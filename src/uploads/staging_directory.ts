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
  /** Resolves when the leftovers of killed processes have been removed. Never rejects. */
  readonly leftoversRemoved: Promise<void>;
  readonly #parent: string | undefined;
  #locked: LockedDirectory;
  #checked: Promise<unknown> = Promise.resolve();

  private constructor(parent: string | undefined, locked: LockedDirectory, leftoversRemoved: Promise<void>) {
    this.#parent = parent;
    this.#locked = locked;
    this.leftoversRemoved = leftoversRemoved;
  }

  /** Creates the directory. Leftovers in the same parent directory are removed in the background. */
  static async open(parent: string | undefined, log: Logger): Promise<StagingDirectory> {
    const locked = await makeDirectory(parent);
    const leftoversRemoved = removeLeftovers(locked, log).catch((error) =>
      log.debug("failed to look for leftover uploads", { error })
    );
    return new StagingDirectory(parent, locked, leftoversRemoved);
  }

  /**
   * Returns the path of the directory. Programs that remove old files from `/tmp` may have removed it: then another one
   * is created, under a name that no other user can have taken.
   */
  path(): Promise<string> {
    const found = this.#checked.then(async () => {
      if (!await isOwn(this.#locked)) {
        const { lock } = this.#locked;
        this.#locked = await makeDirectory(this.#parent);
        lock.close();
      }
      return this.#locked.path;
    });
    this.#checked = found.catch(() => {});
    return found;
  }

  /** Removes the directory and its contents. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.leftoversRemoved, this.#checked]);
    this.#locked.lock.close(); // First, because Windows cannot remove an open file.
    await Deno.remove(this.#locked.path, { recursive: true }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
  }
}

/** A directory, its locked file, and its owner. */
interface LockedDirectory {
  readonly path: string;
  readonly lock: Deno.FsFile;
  readonly uid: number | null;
}

async function makeDirectory(parent: string | undefined): Promise<LockedDirectory> {
  const path = await Deno.makeTempDir({ prefix: PREFIX, ...(parent === undefined ? {} : { dir: parent }) });
  const lock = await Deno.open(`${path}/${LOCK_FILE}`, { write: true, createNew: true, mode: 0o600 });
  await lock.lock(true);
  return { path, lock, uid: (await Deno.lstat(path)).uid };
}

/** Whether a directory still exists: another user may have one of the same name by now. */
async function isOwn({ path, uid }: LockedDirectory): Promise<boolean> {
  try {
    const found = await Deno.lstat(path);
    return found.isDirectory && found.uid === uid;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

async function removeLeftovers({ path: ownDirectory, uid }: LockedDirectory, log: Logger): Promise<void> {
  const parent = dirname(ownDirectory);
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
