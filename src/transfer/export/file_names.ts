/** Maximum length of a path in an export, in UTF-16 code units: Windows allows 260 with the folder above it. */
const MAX_PATH_CHARS = 180;
/** Maximum length of a segment in UTF-16 code units. Ext4 allows 255 bytes, three for each. */
const MAX_SEGMENT_CHARS = 80;
/** Maximum number of folders of a path. */
const MAX_FOLDERS = 8;

/** Device names of Windows, with or without an extension. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\.|$)/i;
/** Characters that Windows forbids in names, and controls. */
// deno-lint-ignore no-control-regex -- replaces control characters
const FORBIDDEN = /[<>:"\\|?*\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g;

/** Folder of documents without a collection. */
export const NO_COLLECTION = "no-collection";

/**
 * Chooses file names for the documents of an export, in the order of its calls: valid on Linux, macOS and Windows, and
 * unique on file systems that ignore case.
 *
 * @example
 * ```ts
 * import { FileNames } from "./file_names.ts";
 * import { assertEquals } from "@std/assert";
 * const names = new FileNames();
 * assertEquals(names.next({ collection: "docs", sourcePath: "guide/Setup.md", title: null }), "docs/guide/Setup.md");
 * assertEquals(names.next({ collection: "docs", sourcePath: "guide/setup.md", title: null }), "docs/guide/setup-2.md");
 * assertEquals(names.next({ collection: undefined, sourcePath: null, title: "a/../b?" }), "no-collection/a-..-b-.md");
 * ```
 */
export class FileNames {
  readonly #used = new Map<string, number>();

  /** Returns the path of the next document, relative to the export. */
  next(document: {
    readonly collection: string | undefined;
    readonly sourcePath: string | null | undefined;
    readonly title: string | null;
  }): string {
    const { collection = NO_COLLECTION, sourcePath, title } = document;
    const segments = sourcePath
      ? sourcePath.replace(/^[a-z][a-z0-9+.-]*:\/\//i, "").split("/").filter((each) => each !== "")
      : [(title ?? "").replaceAll("/", "-")];
    // The path of a file that was added to an export.
    if (segments.length > 1 && segments[0] === collection) segments.shift();
    const file = fileSegment(segments.at(-1) ?? "");
    const folders = [collection.replaceAll("/", "-"), ...segments.slice(0, -1).slice(0, MAX_FOLDERS)]
      .map(folderSegment);
    const length = (each: readonly string[]) => each.join("/").length + file.length;
    const folder = (length(folders) > MAX_PATH_CHARS ? folders.slice(0, 1) : folders).join("/");
    return this.#unique(`${folder}/${file}`);
  }

  #unique(stem: string): string {
    const key = stem.normalize("NFC").toLowerCase();
    for (let count = (this.#used.get(key) ?? 0) + 1;; count++) {
      this.#used.set(key, count);
      if (count === 1) return `${stem}.md`;
      const path = `${stem}-${count}`;
      const other = path.normalize("NFC").toLowerCase();
      if (this.#used.has(other)) continue;
      this.#used.set(other, 1);
      return `${path}.md`;
    }
  }
}

/** Returns the name of a file without its extension `.md`. */
function fileSegment(name: string): string {
  return safeSegment(name.replace(/\.md$/i, ""));
}

/** A folder must not have the name of a file, or of the manifest. */
function folderSegment(name: string): string {
  const segment = safeSegment(name);
  return /\.md$|^kb-export/i.test(segment) ? `${segment}_` : segment;
}

function safeSegment(name: string): string {
  const clean = name.normalize("NFC").toWellFormed().replace(FORBIDDEN, "-").replace(/\s+/g, " ").trim();
  const cut = clean.length <= MAX_SEGMENT_CHARS ? clean : clean.slice(0, MAX_SEGMENT_CHARS).toWellFormed();
  // Windows drops dots and spaces at the end of a name; a dot at the start hides a file, or names a folder above.
  const trimmed = cut.replace(/[. ]+$/, "").replace(/^\.+/, "_");
  const named = trimmed === "" ? "_" : trimmed;
  return RESERVED.test(named) ? `_${named}` : named;
}
