import { MAX_TEXT_BYTES, MAX_TEXT_CHARS } from "../contract/mod.ts";
import { ToolError } from "./tool.ts";

/** Common file types that the embedded engine cannot read. */
const UNSUPPORTED_EXTENSIONS = new Set(
  ("jpg jpeg png gif webp bmp tif tiff heic ico psd " +
    "zip tar gz tgz bz2 xz zst 7z rar jar " +
    "xls xlsx ppt pptx doc rtf odt ods odp msg epub mobi " +
    "mp3 m4a wav ogg flac mp4 m4v mov avi mkv webm " +
    "exe dll dmg iso msi apk sqlite parquet").split(" "),
);

/** Extensions of files that are text as they are. */
const TEXT_EXTENSIONS = new Set(
  "txt text md markdown html htm csv tsv log json jsonl ndjson yaml yml xml ini toml rst tex".split(" "),
);

/**
 * Rejects a file of an unsupported type, or with too much text, before its bytes are sent. The engine still
 * decides by the bytes.
 *
 * @param engine `ServerInfo.engine`. Only the embedded engine's types are known; any other engine may support
 * more.
 * @throws {ToolError} Names the supported types, or the maximum size.
 *
 * @example
 * ```ts
 * import { checkFile } from "./file_types.ts";
 * import { assertThrows } from "@std/assert";
 * checkFile({ filename: "report.pdf", size: 1e8 }, "embedded");
 * assertThrows(() => checkFile({ filename: "Photo.JPG", size: 9 }, "embedded"), Error, "jpg files are not supported");
 * ```
 */
export function checkFile(
  { filename, size }: { readonly filename: string; readonly size: number },
  engine: string,
): void {
  const extension = /\.([^./\\\s]{1,16})\s*$/.exec(filename)?.[1]?.toLowerCase() ?? "";
  if (engine !== "embedded") return;
  if (TEXT_EXTENSIONS.has(extension) && size > MAX_TEXT_BYTES) {
    throw new ToolError(
      `total_size of a ${extension} file must be at most ${MAX_TEXT_BYTES} bytes, because its text may have ` +
        `${MAX_TEXT_CHARS} characters, got ${size}. Split the file.`,
    );
  }
  if (!UNSUPPORTED_EXTENSIONS.has(extension)) return;
  throw new ToolError(
    `${extension} files are not supported by the embedded engine: filename must name a text, Markdown, HTML, PDF or ` +
      "DOCX file. Convert the file, or write its important content into a note with kb_addnote.",
  );
}
