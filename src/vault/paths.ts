/** Names of the page that introduces a folder. */
const INDEX_NAMES: ReadonlySet<string> = new Set(["index", "readme", "_index", "home", "moc"]);

/** Extensions of files that may be documents. */
const DOCUMENT = /\.(?:md|markdown|mdx|mkd|mdown|qmd|rmd|html?|xhtml|txt|pdf|docx)$/i;

/** Returns the path without the extension of a document. */
export function withoutExtension(path: string): string {
  return path.replace(DOCUMENT, "");
}

/** Whether a path has an extension, but not that of a document: an image, a program, a table. */
export function isAttachmentPath(path: string): boolean {
  return /[^/.][^/]*\.[a-z0-9]{1,8}$/i.test(path) && !DOCUMENT.test(path);
}

/** Returns the name of the file at a path. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns the folder of a path, without a slash at the end; empty at the top. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** Returns the section of a path: its first folder, or the empty text for a file at the top. */
export function sectionOf(path: string): string {
  const slash = path.indexOf("/");
  return slash < 0 ? "" : path.slice(0, slash);
}

/** Whether a path is the page that introduces its folder: `index.md`, `README.md`, or a page named like the folder. */
export function isIndexPath(path: string): boolean {
  const name = withoutExtension(fileName(path)).toLowerCase();
  return INDEX_NAMES.has(name) || name === fileName(folderOf(path)).toLowerCase();
}

/**
 * Resolves `.` and `..` in a path from a folder.
 *
 * @returns `undefined` for a path that leaves the root.
 *
 * @example
 * ```ts
 * import { resolvePath } from "./paths.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(resolvePath("guide/setup", "../intro.md"), "guide/intro.md");
 * assertEquals(resolvePath("guide", "../../etc/passwd"), undefined);
 * assertEquals(resolvePath("guide", "/intro.md"), "intro.md");
 * ```
 */
export function resolvePath(folder: string, path: string): string | undefined {
  const segments: string[] = path.startsWith("/") ? [] : folder.split("/").filter((part) => part !== "");
  for (const part of path.replaceAll("\\", "/").split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") segments.push(part);
    else if (segments.pop() === undefined) return undefined;
  }
  return segments.join("/");
}
