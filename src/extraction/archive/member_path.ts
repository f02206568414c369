/**
 * Resolves a relative path in a package against the folder of the part that refers to it. The result stays inside of the
 * package: `..` at its root is dropped.
 *
 * @param folder Empty, or with a slash at its end.
 *
 * @example
 * ```ts
 * import { resolveMemberPath } from "./member_path.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(resolveMemberPath("word/", "../media/./one.png"), "media/one.png");
 * ```
 */
export function resolveMemberPath(folder: string, path: string): string {
  const segments: string[] = [];
  for (const segment of `${folder}${path}`.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== "." && segment !== "") segments.push(segment);
  }
  return segments.join("/");
}
