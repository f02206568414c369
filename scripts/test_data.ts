/**
 * Folder of development data, from `KB_TEST_DATA`: `ir/` holds retrieval test collections, `files/` holds real files
 * with a `manifest.tsv`. The data is not part of this repository.
 *
 * @returns Its path without a trailing slash, or undefined when `KB_TEST_DATA` is unset.
 * @throws {Error} When `KB_TEST_DATA` does not name a folder with `ir/` and `files/`.
 */
export function testDataFolder(): string | undefined {
  const folder = Deno.env.get("KB_TEST_DATA")?.replace(/\/+$/, "");
  if (!folder) return undefined;
  for (const part of ["ir", "files"]) {
    try {
      Deno.statSync(`${folder}/${part}`);
    } catch (cause) {
      throw new Error(`KB_TEST_DATA must name a folder with ir/ and files/, got ${folder}`, { cause });
    }
  }
  return folder;
}

/** Reason that skipped tests and scripts print. */
export const SKIPPED = "skipped: KB_TEST_DATA is unset";
