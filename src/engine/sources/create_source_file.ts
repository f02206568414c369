import { join } from "node:path";
import type * as z from "zod";
import type { NewSourceFile } from "../../contract/mod.ts";
import { createInside, FolderError, isHidden } from "../../folder/mod.ts";
import { unicodeForms } from "../../text/mod.ts";
import { KnowledgeBaseError, type StoredSource } from "../knowledge_base/mod.ts";
import { newFileContent, newFileNames } from "./new_file.ts";

/**
 * Creates a Markdown file in the folder of a writable source.
 *
 * @param isTaken Whether a document has or had the path, although the folder may have no file there: the new file would
 * replace or restore it with the next synchronization.
 * @returns The path of the file inside the source.
 * @throws {KnowledgeBaseError} `forbidden` for a source that is not writable, `invalid` for a folder that leaves it or is
 * hidden, `conflict` if all names for the title are taken.
 */
export async function createSourceFile(
  source: StoredSource,
  file: z.output<typeof NewSourceFile>,
  isTaken: (path: string) => Promise<boolean>,
): Promise<string> {
  if (source.type !== "folder" || !source.options.writable) {
    throw new KnowledgeBaseError(
      "forbidden",
      `The source ${source.name} is not writable: its owner must add it with --writable, or with :rw in KB_SOURCES`,
    );
  }
  if (file.folder?.split("/").some(isHidden)) {
    throw new KnowledgeBaseError("invalid", "folder must not be hidden: its files are no documents");
  }
  const date = new Date().toISOString().slice(0, 10);
  const bytes = new TextEncoder().encode(await newFileContent(file, date));
  try {
    const folder = file.folder === undefined ? undefined : await folderOnDisk(source.location, file.folder);
    for (const name of newFileNames(file.title, date)) {
      const path = folder === undefined ? name : `${folder}/${name}`;
      if (await isTaken(path)) continue;
      if (await createInside(source.location, path, bytes)) return path;
    }
  } catch (error) {
    if (!(error instanceof FolderError)) throw error;
    throw new KnowledgeBaseError("invalid", `Cannot create the file: ${error.message}`, { cause: error });
  }
  throw new KnowledgeBaseError("conflict", "There are too many files with this title: choose another title");
}

/** Returns a path as its folders are named on disk, such as with the decomposed letters of macOS. */
async function folderOnDisk(root: string, folder: string): Promise<string> {
  const names: string[] = [];
  for (const segment of folder.split("/")) {
    const forms = unicodeForms(segment);
    const found = await Promise.all(forms.map((form) => exists(join(root, ...names, form))));
    names.push(forms[found.indexOf(true)] ?? segment);
  }
  return names.join("/");
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch {
    // Creating the file reports what is wrong with the folder.
    return false;
  }
}
