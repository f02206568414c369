import { dirname, join } from "node:path";
import { isInside } from "./is_inside.ts";
import { toFolderError } from "./open_inside.ts";
import { FolderError } from "./problem.ts";
import { syncDirectory } from "./sync_directory.ts";

/**
 * Creates a file inside a folder, durably; missing folders on the way are created. Readers see the file
 * complete or not at all. Links are followed as long as they stay inside the folder.
 *
 * @param root Absolute path of the folder.
 * @param path Path relative to it.
 * @returns False if something exists at the path.
 * @throws {FolderError} `outside_source`, or `unreadable` if the folder cannot be written.
 */
export async function createInside(root: string, path: string, bytes: Uint8Array): Promise<boolean> {
  try {
    const realRoot = await Deno.realPath(root);
    const parent = await createFolders(realRoot, dirname(path));
    const target = join(parent, path.slice(path.lastIndexOf("/") + 1));
    const temporary = join(parent, `.${crypto.randomUUID()}.tmp`);
    try {
      {
        using file = await Deno.open(temporary, { write: true, createNew: true });
        for (let at = 0; at < bytes.length;) at += await file.write(bytes.subarray(at));
        await file.sync();
      }
      await linkOrRename(temporary, target);
    } catch (error) {
      if (error instanceof Deno.errors.AlreadyExists) return false;
      throw error;
    } finally {
      await Deno.remove(temporary).catch(() => {}); // it was renamed
    }
    await syncDirectory(parent);
    return true;
  } catch (error) {
    throw toFolderError(error);
  }
}

/** Gives a file its final name, unless something exists there. */
async function linkOrRename(temporary: string, target: string): Promise<void> {
  try {
    await Deno.link(temporary, target);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) throw error;
    // A file system without hard links. Reserves the name, since a rename would replace an existing file.
    (await Deno.open(target, { write: true, createNew: true })).close();
    await Deno.rename(temporary, target);
  }
}

/** Creates the folders of a relative path one by one, so that none is created behind a link that leaves the root. */
async function createFolders(realRoot: string, path: string): Promise<string> {
  let current = realRoot;
  for (const name of path === "." ? [] : path.split("/")) {
    const next = join(current, name);
    await Deno.mkdir(next).catch((error) => {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    });
    current = await Deno.realPath(next);
    if (!isInside(realRoot, current)) {
      throw new FolderError("outside_source", "The path leads out of the folder");
    }
  }
  return current;
}
