import { join } from "node:path";
import { quoteText } from "../text/mod.ts";
import type { CommandContext } from "./context.ts";

/** Owner of a file; null on Windows. */
export interface FileOwner {
  readonly uid: number | null;
  readonly gid: number | null;
}

/** Directories in a data directory whose files are inspected, too. */
const FOLDERS: readonly string[] = ["models", "spool"];

/**
 * Runs a command that replaces or adds files of the data directory, and warns of files that its owner cannot use
 * afterwards. Also after a failure: a download that fails leaves a directory behind.
 */
export async function warnOfRootFiles<T>(context: CommandContext, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } finally {
    // Without a data directory, the command has failed with the reason.
    const dataDir = await context.dataDir().catch(() => undefined);
    const warning = dataDir === undefined ? undefined : filesOfRoot(dataDir);
    if (warning !== undefined) context.printError(warning);
  }
}

/** Files of root, and what gives them away. */
export interface RootFiles {
  readonly problem: string;
  /** What to do before the server starts. */
  readonly fix: string;
}

/**
 * Returns a warning about files of root in the data directory of another user, and the command that gives them to that
 * user; undefined if there are none.
 *
 * An operator runs commands as root. The service could neither read a database that `restore`, `repair` or `vacuum` has
 * written nor a model that was installed. Root does not give files away itself: the owner of the directory could replace
 * a file by a link meanwhile.
 *
 * @param lstat Returns the owner of a file or link.
 *
 * @example
 * ```ts
 * import { filesOfRoot } from "./files_of_root.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(filesOfRoot("/nonexistent"), undefined);
 * ```
 */
export function filesOfRoot(
  dataDir: string,
  lstat: (path: string) => FileOwner = Deno.lstatSync,
): string | undefined {
  const found = findFilesOfRoot(dataDir, lstat);
  return found && `${found.problem}. Before the server starts, ${found.fix}`;
}

/** See {@linkcode filesOfRoot}. */
export function findFilesOfRoot(
  dataDir: string,
  lstat: (path: string) => FileOwner = Deno.lstatSync,
): RootFiles | undefined {
  try {
    // With DynamicUser= of systemd, /var/lib/kb-mcp is a link of root, which chown -R does not follow.
    const directory = Deno.realPathSync(dataDir);
    const { uid, gid } = lstat(directory);
    if (!uid) return undefined;
    const names = [directory, ...FOLDERS.map((folder) => join(directory, folder))].flatMap(entries);
    const found = names.find((path) => lstat(path).uid === 0);
    if (found === undefined) return undefined;
    return {
      problem:
        `${quoteText(found, 4_096)} belongs to root, so the user ${uid} of the data directory may not be ` +
        "able to read it",
      fix: `run as root: chown -R ${uid}:${gid} ${quoteText(directory, 4_096)}`,
    };
  } catch {
    // The command has reported what it could not read, or a file was removed meanwhile.
    return undefined;
  }
}

/** Returns the paths in a directory; nothing if it does not exist or cannot be listed. */
function entries(directory: string): string[] {
  try {
    return [...Deno.readDirSync(directory)].map(({ name }) => join(directory, name));
  } catch {
    return [];
  }
}
