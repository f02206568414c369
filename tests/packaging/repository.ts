/** Root of the repository, with a trailing slash. */
const ROOT = new URL("../../", import.meta.url);

/** What git ignores, and git itself: neither is part of the repository. */
const NOT_OURS = new Set([".git", "dist", "node_modules", "coverage", ".kb"]);

/** Text of a file of the repository. */
export function read(path: string): Promise<string> {
  return Deno.readTextFile(new URL(path, ROOT));
}

/** Paths of all files below a folder of the repository (all of it: ""), relative to the root, sorted. */
export async function filesBelow(folder: string): Promise<string[]> {
  const found: string[] = [];
  const prefix = folder === "" ? "" : `${folder}/`;
  for await (const entry of Deno.readDir(new URL(prefix || ".", ROOT))) {
    if (NOT_OURS.has(entry.name)) continue;
    if (entry.isDirectory) found.push(...await filesBelow(prefix + entry.name));
    else if (entry.isFile) found.push(prefix + entry.name);
  }
  return found.sort();
}
