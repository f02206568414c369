import { type FileHandle, open } from "node:fs/promises";
import { dirname } from "node:path";
import { delay } from "../../async/mod.ts";
import { syncDirectory } from "../../folder/mod.ts";
import { formatKeyFile, KeyFileError, readKeyFile, type StoredKey } from "../../keys/mod.ts";
import { systemReason } from "../../text/mod.ts";
import { ExitError } from "../exit_status.ts";

/** Permissions of a new keys file. */
const PRIVATE = 0o600;
/** Permission bit that stays: the service may belong to the group of the file only. */
const GROUP_READ = 0o040;
/** Delay between two attempts to lock the file, in milliseconds. */
const LOCK_DELAY_MS = 50;
/** Maximum number of these attempts. */
const MAX_LOCK_ATTEMPTS = 200;

/**
 * Changes a keys file in one step, while no other command changes it. A reader sees the old or the new keys, also after
 * a crash.
 *
 * @param change Returns the new keys. An error leaves the file as it is.
 * @throws {ExitError} If the file cannot be read or written, or another command holds it.
 */
export async function updateKeyFile(
  path: string,
  change: (keys: readonly StoredKey[]) => readonly StoredKey[],
): Promise<void> {
  try {
    await Deno.mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // A link stays a link.
    const target = await Deno.realPath(path).catch((error) => {
      if (error instanceof Deno.errors.NotFound) return path;
      throw error;
    });
    using _lock = await lock(target);
    const { keys } = await readKeyFile(target);
    await replace(target, formatKeyFile(change(keys)));
  } catch (error) {
    if (error instanceof KeyFileError) throw cannotUse(path, error.message, error);
    if (error instanceof Error && isSystemError(error)) throw cannotUse(path, systemReason(error), error);
    throw error;
  }
}

/** Reads the keys of a file. @throws {ExitError} If it cannot be used. */
export async function readKeys(path: string): Promise<readonly StoredKey[]> {
  try {
    return (await readKeyFile(path)).keys;
  } catch (error) {
    if (error instanceof KeyFileError) throw cannotUse(path, error.message, error);
    throw error;
  }
}

function cannotUse(path: string, reason: string, cause: Error): ExitError {
  return new ExitError(1, `Cannot use the keys file ${JSON.stringify(path)} (KB_MCP_KEYS): ${reason}`, {
    cause,
  });
}

function isSystemError(error: Error): boolean {
  return Object.values(Deno.errors).some((type) => error instanceof type) || "code" in error;
}

/**
 * Locks a file next to the keys file, which itself is replaced. The system releases the lock of a killed command.
 *
 * Threat: the owner of the directory makes it a pipe, which waits for its reader when it is opened, or a link to a device.
 */
async function lock(target: string): Promise<Deno.FsFile> {
  const path = `${target}.lock`;
  try {
    await using created = await open(path, "wx", PRIVATE);
    await giveToOwner(created, target);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "EEXIST") throw error;
  }
  if (!(await Deno.lstat(path)).isFile) {
    throw new ExitError(
      1,
      `Cannot lock ${JSON.stringify(path)}: it must be a file. Remove it, then try again`,
    );
  }
  const file = await Deno.open(path, { write: true });
  for (let attempt = 0; attempt < MAX_LOCK_ATTEMPTS; attempt++) {
    if (await file.tryLock(true)) return file;
    await delay(LOCK_DELAY_MS, undefined, { ref: true });
  }
  file.close();
  throw new ExitError(1, `Cannot lock ${JSON.stringify(path)}: another command holds it. Try again`);
}

async function replace(target: string, text: string): Promise<void> {
  const existing = await Deno.stat(target).catch(ignoreMissing);
  const temporary = `${target}.${crypto.randomUUID()}.tmp`;
  try {
    {
      await using file = await open(temporary, "wx", PRIVATE);
      if (((existing?.mode ?? 0) & GROUP_READ) !== 0) await file.chmod(PRIVATE | GROUP_READ);
      await giveToOwner(file, target);
      await file.writeFile(text);
      await file.sync();
    }
    await Deno.rename(temporary, target);
  } catch (error) {
    await Deno.remove(temporary).catch(() => {});
    throw error;
  }
  await syncDirectory(dirname(target));
}

/**
 * Gives a new file to the owner of the keys file, or of its directory. An operator runs commands as root, and the service
 * could not read a file of root.
 *
 * Threat: the owner of the directory replaces the file by a link, so that root gives away any file. Only the open file
 * is changed, never a path.
 */
async function giveToOwner(file: FileHandle, target: string): Promise<void> {
  if ((await file.stat()).uid !== 0) return;
  const { uid, gid } = await Deno.stat(target).catch(ignoreMissing) ?? await Deno.stat(dirname(target));
  if (uid !== null && gid !== null && (uid !== 0 || gid !== 0)) await file.chown(uid, gid);
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
