import { createHash } from "node:crypto";
import { type OpenFile, openInside } from "./open_inside.ts";

/**
 * Returns the SHA-256 of a file inside a folder in hexadecimal, which is the `content_hash` of its document.
 *
 * @param root Absolute path of the folder.
 * @param path Path relative to it.
 * @throws {FolderError} See {@linkcode openInside}.
 *
 * @example
 * ```ts
 * import { hashFile } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const root = await Deno.makeTempDir();
 * await Deno.writeTextFile(`${root}/a.md`, "abc");
 * assertEquals((await hashFile(root, "a.md")).slice(0, 8), "ba7816bf");
 * await Deno.remove(root, { recursive: true });
 * ```
 */
export async function hashFile(root: string, path: string): Promise<string> {
  await using file = await openInside(root, path);
  return await hashChunks(file);
}

async function hashChunks(file: OpenFile): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of file.chunks()) hash.update(chunk);
  return hash.digest("hex");
}
