import { isInside } from "./is_inside.ts";

/**
 * Returns the pairs of folders of which one contains the other, as indexes. Links are followed; a folder that cannot be
 * read here, as one of another machine, is compared by its path.
 *
 * @param paths Absolute paths.
 *
 * @example
 * ```ts
 * import { overlappingFolders } from "./overlapping_folders.ts";
 * import { assertEquals } from "@std/assert";
 * assertEquals(await overlappingFolders(["/none/a", "/none/b", "/none/a/c"]), [[0, 2]]);
 * ```
 */
export async function overlappingFolders(paths: readonly string[]): Promise<[number, number][]> {
  const real = await Promise.all(paths.map((path) => Deno.realPath(path).catch(() => path)));
  return real.flatMap((path, at) =>
    real.slice(at + 1).flatMap((other, index): [number, number][] =>
      isInside(path, other) || isInside(other, path) ? [[at, at + 1 + index]] : []
    )
  );
}
