import { isAbsolute, relative } from "node:path";

/** Separator of paths. Importing the one of node:path would load that module when a server starts. */
const SEPARATOR = Deno.build.os === "windows" ? "\\" : "/";

/** Whether a path is a folder or below it. Both must be absolute and without links. */
export function isInside(root: string, path: string): boolean {
  const below = relative(root, path);
  return below === "" || !(below === ".." || below.startsWith(`..${SEPARATOR}`) || isAbsolute(below));
}
