import { statfsSync } from "node:fs";
import { dirname, join } from "node:path";
import { systemReason } from "../../text/mod.ts";
import { findFilesOfRoot } from "../files_of_root.ts";
import { type Check, fail, ok, warn } from "./check.ts";

/** Free space below which a disk is too full to work with, in bytes. */
const MIN_FREE_BYTES = 64 * 2 ** 20;
/** Free space that is not warned about, in bytes. */
const LOW_FREE_BYTES = 1024 * 2 ** 20;
/** Difference between the clocks of disk and machine that is not warned about, in milliseconds. */
const MAX_CLOCK_DIFFERENCE_MS = 10_000;
/** Time before which the clock is certainly wrong. */
const EARLIEST_TIME = Date.UTC(2026, 0, 1);

/** Checks that the data directory can be created or written, by this user only. */
export function checkDataDir(dataDir: string): Check {
  const name = "data directory";
  let mode: number | null;
  try {
    const stat = Deno.statSync(dataDir);
    if (!stat.isDirectory) {
      return fail(name, `${dataDir} is not a directory`, "set KB_DATA_DIR to a directory");
    }
    mode = stat.mode;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) return unwritable(dataDir, error);
    return checkMissing(dataDir);
  }
  try {
    probe(dataDir, () => {});
  } catch (error) {
    return unwritable(dataDir, error);
  }
  const ofRoot = findFilesOfRoot(dataDir);
  if (ofRoot) return warn(name, ofRoot.problem, ofRoot.fix);
  if (mode !== null && (mode & 0o022) !== 0) {
    return warn(name, `other users may write to ${dataDir}`, `run chmod 700 ${JSON.stringify(dataDir)}`);
  }
  return ok(name, `${dataDir} is writable`);
}

/** Checks that a directory that does not exist can be created in the first one above it that does. */
function checkMissing(dataDir: string): Check {
  let above = dirname(dataDir);
  while (!exists(above) && dirname(above) !== above) above = dirname(above);
  try {
    probe(above, () => {});
    return ok("data directory", `${dataDir} does not exist yet; the first start creates it`);
  } catch (error) {
    const message = `${dataDir} cannot be created: ${above} is not writable: ${systemReason(error)}`;
    const fix = "create it as a user who may, give this user write permission, or set KB_DATA_DIR";
    return fail("data directory", message, fix);
  }
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch (error) {
    // One that may not be inspected exists.
    return !(error instanceof Deno.errors.NotFound);
  }
}

function unwritable(dataDir: string, error: unknown): Check {
  const message = `${dataDir} is not writable: ${systemReason(error)}`;
  return fail("data directory", message, "give this user write permission, or set KB_DATA_DIR");
}

/** Checks the free space of the disk; nothing where this program may not ask for it. */
export function* checkDisk(dataDir: string): Generator<Check> {
  const free = freeBytes(dataDir);
  if (free === undefined) return;
  const message = `${(free / 2 ** 30).toFixed(1)} GiB free`;
  const fix = "free some space, or set KB_DATA_DIR to another disk";
  if (free < MIN_FREE_BYTES) yield fail("disk", message, fix);
  else if (free < LOW_FREE_BYTES) yield warn("disk", message, fix);
  else yield ok("disk", message);
}

/** Returns the free space of the disk that a directory is or will be on, in bytes. */
function freeBytes(path: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(path);
    return bavail * bsize;
  } catch (error) {
    const isMissing = (error as { code?: string }).code === "ENOENT";
    return isMissing && dirname(path) !== path ? freeBytes(dirname(path)) : undefined;
  }
}

/** Checks the clock of the machine, also against that of the disk. */
export function* checkClock(dataDir: string): Generator<Check> {
  const now = Date.now();
  const time = new Date(now).toISOString();
  if (now < EARLIEST_TIME) {
    return yield fail("clock", `it is ${time}`, "set the clock of this machine");
  }
  try {
    let difference = 0;
    probe(
      dataDir,
      (path) => difference = Math.abs((Deno.statSync(path).mtime?.getTime() ?? now) - Date.now()),
    );
    if (difference > MAX_CLOCK_DIFFERENCE_MS) {
      const seconds = Math.round(difference / 1000);
      return yield warn(
        "clock",
        `the disk of the data directory is ${seconds} s apart from this machine`,
        "synchronize the clocks of this machine and of the file server",
      );
    }
  } catch {
    // The check of the data directory reports that it cannot be written.
  }
  yield ok("clock", time);
}

/** Writes a file for a moment. @throws {Error} When the directory is not writable. */
function probe(folder: string, use: (path: string) => void): void {
  const path = join(folder, `.kb-mcp-doctor-${crypto.randomUUID()}`);
  // Before it is written: a full disk has space for the name of the file, but not for its content.
  Deno.openSync(path, { write: true, createNew: true, mode: 0o600 }).close();
  try {
    Deno.writeTextFileSync(path, "test");
    use(path);
  } finally {
    Deno.removeSync(path);
  }
}
