/** Maximum length of a segment of a path, in UTF-16 code units. File systems have about this limit. */
const MAX_SEGMENT_CHARS = 200;
/** Maximum number of segments; the middle ones of a deeper path are dropped. */
const MAX_SEGMENTS = 32;
/**
 * Control characters, and characters that are invisible or change the order of others: they could make a name look like
 * another one, or contain text that only a model reads.
 */
const INVISIBLE =
  // deno-lint-ignore no-control-regex -- removes control characters
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu;

/**
 * Names the files of an archive: relative, unique paths without `..`, drive letters and control characters.
 *
 * Threat ("zip slip"): an archive names a file `../../etc/passwd` or `C:\Windows\win.ini`. Paths never reach the file
 * system; as a `source_path`, such a name must not replace a document outside of the archive.
 */
export class MemberPaths {
  readonly #taken = new Set<string>();
  /** Highest number after each path. Thousands of files with one name would otherwise take quadratic time. */
  readonly #numbers = new Map<string, number>();

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
    let number = this.#numbers.get(wanted) ?? 1;
    while (this.#taken.has(unique)) {
      unique = `${wanted.slice(0, wanted.length - extension.length)} (${++number})${extension}`;
    }
    this.#numbers.set(wanted, number);
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
