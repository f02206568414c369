import type { Logger } from "../telemetry/mod.ts";

const PREFIX = "kb-mcp-uploads-";
const LOCK_FILE = "lock";
/** Between making its directory and locking it, a process that starts looks like a dead one. */
const SETTLED_MS = 60_000;

/**
 * A directory of our own (mode 0700), marked by a locked file as long as this process lives, so that a later process
 * can tell what a killed one left behind from what is in use.
 */
export class Staging implements AsyncDisposable {
  /** Where to put files. */
  readonly directory: string;
  readonly #lock: Deno.FsFile;

  private constructor(directory: string, lock: Deno.FsFile) {
    this.directory = directory;
    this.#lock = lock;
  }

  /** Makes the directory, and removes those of dead processes beside it. */
  static async open(parent: string | undefined, log: Logger): Promise<Staging> {
    const directory = await Deno.makeTempDir({
      prefix: PREFIX,
      ...(parent === undefined ? {} : { dir: parent }),
    });
    const lock = await Deno.open(`${directory}/${LOCK_FILE}`, { write: true, createNew: true, mode: 0o600 });
    await lock.lock(true);
    const staging = new Staging(directory, lock);
    await staging.#removeLeftovers(log).catch((error) =>
      log.debug("leftover uploads were not looked for", { error })
    );
    return staging;
  }

  /** Removes the directory with all that is in it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#lock.close(); // first: Windows removes no open file
    await Deno.remove(this.directory, { recursive: true }).catch(ignoreMissing);
  }

  async #removeLeftovers(log: Logger): Promise<void> {
    const [, parent = "", own = ""] = /^(.*)[/\\]([^/\\]+)$/.exec(this.directory) ?? [];
    const { uid } = await Deno.stat(this.directory);
    for await (const { name } of Deno.readDir(parent)) {
      if (!name.startsWith(PREFIX) || name === own) continue;
      try {
        if (await isLeftover(`${parent}/${name}`, uid)) {
          await Deno.remove(`${parent}/${name}`, { recursive: true });
          log.info("uploads of a process that has ended were removed", { directory: name });
        }
      } catch (error) {
        log.debug("a leftover directory was not removed", { directory: name, error });
      }
    }
  }
}

/**
 * Whether a directory belongs to a process that is gone. Every doubt means no: another user's directory, a link
 * (in a shared /tmp anybody can make one that leads elsewhere), no lock file, a young one, or one that is locked.
 */
async function isLeftover(directory: string, ownUid: number | null): Promise<boolean> {
  const { isDirectory, uid } = await Deno.lstat(directory);
  if (!isDirectory || uid !== ownUid) return false;
  const path = `${directory}/${LOCK_FILE}`;
  const { isFile, mtime } = await Deno.lstat(path);
  // Files carry the time of the system's clock, so this is compared with that clock and not with an injected one.
  if (!isFile || mtime === null || Date.now() - mtime.getTime() < SETTLED_MS) return false;
  using lock = await Deno.open(path, { write: true });
  // Deno before 2.7 has no tryLock, and a lock that waits would wait for as long as that process lives.
  return "tryLock" in lock && await lock.tryLock(true);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
