/** Root of the repository, with a trailing slash. */
const ROOT = new URL("../../", import.meta.url);

/** Names of folders that git ignores, and of its own. */
const IGNORED = new Set([".git", "dist", "node_modules", "coverage", ".kb"]);

/** Returns the text of a file of the repository. */
export function read(path: string): Promise<string> {
  return Deno.readTextFile(new URL(path, ROOT));
}

/** Returns the sorted paths of all files below a folder (`""` for the root), relative to the root. */
export async function filesBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  const prefix = folder === "" ? "" : `${folder}/`;
  for await (const entry of Deno.readDir(new URL(prefix || ".", ROOT))) {
    // `models` of the checkout contains binary files that git ignores.
    if (IGNORED.has(entry.name) || prefix + entry.name === "models") continue;
    if (entry.isDirectory) found.push(...await filesBelow(prefix + entry.name));
    else if (entry.isFile) found.push(prefix + entry.name);
  }
  return found.sort();
}
