import { ToolError } from "./define.ts";

/** Common types that the embedded engine cannot read, whatever is in the file. */
const UNREADABLE = new Set(
  ("jpg jpeg png gif webp bmp tif tiff heic ico psd " +
    "zip tar gz tgz bz2 xz zst 7z rar jar " +
    "xls xlsx ppt pptx doc rtf odt ods odp msg epub mobi " +
    "mp3 m4a wav ogg flac mp4 m4v mov avi mkv webm " +
    "exe dll dmg iso msi apk sqlite parquet").split(" "),
);

/**
 * Refuses at once what would fail only after all of it was sent. The engine still decides by the bytes: this is for
 * names that promise nothing else.
 *
 * @param filename The name as the caller gave it.
 * @param engine `ServerInfo.engine`. An engine from elsewhere may read more, so only `embedded` is spoken for.
 * @throws {ToolError} Says what is supported.
 *
 * @example
 * ```ts
 * import { checkFileType } from "./file_types.ts";
 * import { assertThrows } from "@std/assert";
 * checkFileType("report.pdf", "embedded");
 * assertThrows(() => checkFileType("Photo.JPG", "embedded"), Error, "jpg files are not supported");
 * ```
 */
export function checkFileType(filename: string, engine: string): void {
  const extension = /\.([^./\\\s]{1,16})\s*$/.exec(filename)?.[1]?.toLowerCase() ?? "";
  if (engine !== "embedded" || !UNREADABLE.has(extension)) return;
  throw new ToolError(
    `${extension} files are not supported by the embedded engine: filename must be of a text, Markdown, HTML, PDF or ` +
      "DOCX file. Convert the file, or write down what matters in it with kb_addnote.",
  );
}
