/** Maximum length of a segment of a path, in UTF-16 code units. File systems have about this limit. */
const MAX_SEGMENT_CHARS = 200;
/** Maximum number of segments; the middle ones of a deeper path are dropped. */
const MAX_SEGMENTS = 32;
/** Control characters, and those that change the order of others: they could make a name look like another one. */
// deno-lint-ignore no-control-regex -- removes control characters
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Names the files of an archive: relative, unique paths without `..`, drive letters and control characters.
 *
 * Threat ("zip slip"): an archive names a file `../../etc/passwd` or `C:\Windows\win.ini`. Paths never reach the file
 * system; as a `source_path`, such a name must not replace a document outside of the archive.
 */
export class MemberPaths {
  readonly #taken = new Set<string>();

  /**
   * Returns the path for the next file.
   *
   * @example
   * ```ts
   * import { MemberPaths } from "./member_paths.ts";
   * import { assertEquals } from "@std/assert";
   * const paths = new MemberPaths();
   * const added = ["a/b.txt", "..\\..\\a\\b.txt", "C:/x/./y.md", ""].map((path) => paths.add(path));
   * assertEquals(added, ["a/b.txt", "a/b (2).txt", "x/y.md", "file"]);
   * ```
   */
  add(path: string): string {
    const wanted = relativePath(path) || "file";
    let unique = wanted;
    const extension = /\.[^./\s]{1,16}$/.exec(wanted)?.[0] ?? "";
    for (let n = 2; this.#taken.has(unique); n++) {
      unique = `${wanted.slice(0, wanted.length - extension.length)} (${n})${extension}`;
    }
    this.#taken.add(unique);
    return unique;
  }
}

function relativePath(path: string): string {
  const segments = path.replaceAll("\\", "/").replace(/^\s*[A-Za-z]:(?=\/|$)/, "").split("/")
    .map((segment) => shorten(segment.replace(INVISIBLE, "").toWellFormed().normalize("NFC").trim()))
    .filter((segment) => segment !== "" && segment !== "." && segment !== "..");
  const dropped = Math.max(0, segments.length - MAX_SEGMENTS);
  return segments.toSpliced(MAX_SEGMENTS / 2, dropped).join("/");
}

/** Shortens a file name, but keeps its extension, which may decide its type. */
function shorten(segment: string): string {
  if (segment.length <= MAX_SEGMENT_CHARS) return segment;
  const extension = /\.[^.\s]{1,16}$/.exec(segment)?.[0] ?? "";
  return `${segment.slice(0, MAX_SEGMENT_CHARS - extension.length - 1).toWellFormed()}…${extension}`;
}
