import { isAbsolute, relative, sep } from "node:path";

/** Whether a path is a folder or below it. Both must be absolute and without links. */
export function isInside(root: string, path: string): boolean {
  const below = relative(root, path);
  return below === "" || !(below === ".." || below.startsWith(`..${sep}`) || isAbsolute(below));
}
