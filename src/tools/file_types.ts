import { ToolError } from "./tool.ts";

/** Common file types that the embedded engine cannot read. */
const UNSUPPORTED_EXTENSIONS = new Set(
  ("jpg jpeg png gif webp bmp tif tiff heic ico psd " +
    "zip tar gz tgz bz2 xz zst 7z rar jar " +
    "xls xlsx ppt pptx doc rtf odt ods odp msg epub mobi " +
    "mp3 m4a wav ogg flac mp4 m4v mov avi mkv webm " +
    "exe dll dmg iso msi apk sqlite parquet").split(" "),
);

/**
 * Rejects a file of an unsupported type before its bytes are sent. The engine still decides by the bytes.
 *
 * @param engine `ServerInfo.engine`. Only the embedded engine's types are known; any other engine may support
 * more.
 * @throws {ToolError} Names the supported types.
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
  if (engine !== "embedded" || !UNSUPPORTED_EXTENSIONS.has(extension)) return;
  throw new ToolError(
    `${extension} files are not supported by the embedded engine: filename must name a text, Markdown, HTML, PDF or ` +
      "DOCX file. Convert the file, or write its important content into a note with kb_addnote.",
  );
}
