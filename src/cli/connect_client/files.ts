import { dirname } from "node:path";

/** Permissions of a file that contains a key. */
const PRIVATE = 0o600;

/** Returns the text of a file; undefined if it does not exist. */
export async function readTextIfExists(path: string): Promise<string | undefined> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * Replaces a file in one step, after a copy of it is made. A link stays a link: people keep such files in a repository
 * of dotfiles.
 *
 * @param options.isSecret Whether the file must be readable by its owner only.
 * @returns The path of the copy; undefined: the file is new.
 */
export async function replaceFile(
  path: string,
  text: string,
  { isSecret }: { isSecret: boolean },
): Promise<string | undefined> {
  await Deno.mkdir(dirname(path), { recursive: true });
  const target = await Deno.realPath(path).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return path;
    throw error;
  });
  const existing = await Deno.stat(target).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  });
  const mode = isSecret ? PRIVATE : (existing?.mode ?? PRIVATE) & 0o777;
  const backup = existing && `${target}.kb-mcp-backup`;
  if (backup) {
    const former = await Deno.readFile(target);
    // A link at its name, in the repository of somebody else, would make this replace any file of the user.
    await Deno.remove(backup).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    });
    // The copy contains whatever secrets the file had.
    await Deno.writeFile(backup, former, { mode: PRIVATE, createNew: true });
  }
  const temporary = `${target}.${Deno.pid}.tmp`;
  try {
    await Deno.writeTextFile(temporary, text, { mode, createNew: true });
    await Deno.rename(temporary, target);
  } catch (error) {
    await Deno.remove(temporary).catch(() => {});
    throw error;
  }
  return backup;
}
