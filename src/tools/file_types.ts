import type { EngineClient } from "../client/mod.ts";
import { FILE_FORMATS, formatOfExtension, MAX_TEXT_CHARS } from "../contract/mod.ts";
import { ToolError } from "./tool.ts";

/** Maximum number of bytes of a UTF-16 code unit of text: those of UTF-32. */
const MAX_BYTES_PER_CHAR = 4;

/** A text of this size fits every limit that the engine can have, in bytes. */
const SMALL_TEXT_BYTES = 1_000_000;

/** Extensions of common binary files that the embedded engine cannot read. */
const UNREADABLE_EXTENSIONS = new Set(
  ("pages numbers key wpd wps wri pub one ppt pps pot xlsb vsd vsdx mpp mdb accdb pst ost djvu djv xps oxps chm mobi " +
    "azw azw3 lit ps eps ai indd psd xcf dwg skp blend stl heic heif avif ico cr2 nef arw dng jp2 jxl " +
    "mp3 m4a wav ogg oga opus flac aac wma aiff mid midi mp4 m4v mov avi mkv webm wmv flv mpg mpeg 3gp " +
    "exe dll so dylib msi deb rpm apk ipa dmg iso img vhd vmdk qcow2 jar war class pyc wasm o a lib " +
    "7z rar bz2 xz zst lz4 lzma cab sqlite sqlite3 parquet avro orc feather h5 hdf5 npy npz pkl mat " +
    "ttf otf woff woff2 eot").split(" "),
);

/** Capabilities of an engine that decide which files it reads. */
export interface EngineFormats {
  /** Maximum length of a text, in UTF-16 code units. */
  readonly maxTextChars: number;
  /** Whether text is read from images. */
  readonly hasOcr: boolean;
}

/** A file before its upload. */
export interface DeclaredFile {
  readonly filename: string;
  /** Size in bytes. */
  readonly size: number;
}

/**
 * Returns what an engine extracts text from, if it may refuse a file by its name and size. Otherwise, and for a file
 * that any engine would read, returns undefined: third-party engines and those before contract 3.5 may read anything.
 *
 * @param options.isEmbedded Whether it is the embedded engine, whose formats are known even while it fails.
 */
export async function engineFormats(
  { filename, size }: DeclaredFile,
  { engine, isEmbedded, signal }: {
    readonly engine: EngineClient;
    readonly isEmbedded: boolean;
    readonly signal: AbortSignal;
  },
): Promise<EngineFormats | undefined> {
  const extension = extensionOf(filename);
  const format = formatOfExtension(extension);
  const mayBeRefused = UNREADABLE_EXTENSIONS.has(extension) || format?.id === "image" ||
    format?.isText && size > SMALL_TEXT_BYTES;
  if (!mayBeRefused) return undefined;
  // The upload does not need the engine yet.
  const status = await engine.status({ signal }).catch(() => undefined);
  const extraction = status?.extraction;
  if (!extraction && !isEmbedded) return undefined;
  return {
    maxTextChars: extraction?.max_text_chars ?? MAX_TEXT_CHARS,
    hasOcr: (extraction?.ocr_languages.length ?? 0) > 0,
  };
}

/**
 * Rejects a file of an unsupported type, or with too much text, before its bytes are sent. The engine still
 * decides by the bytes: a file with an unknown extension may be text.
 *
 * @throws {ToolError} Names the supported types, or the maximum size.
 *
 * @example
 * ```ts
 * import { checkFile } from "./file_types.ts";
 * import { assertThrows } from "@std/assert";
 * const formats = { maxTextChars: 16_000_000, hasOcr: false };
 * checkFile({ filename: "report.pdf", size: 1e8 }, formats);
 * assertThrows(() => checkFile({ filename: "Plan.KEY", size: 9 }, formats), Error, "key files cannot be read");
 * ```
 */
export function checkFile(
  { filename, size }: DeclaredFile,
  { maxTextChars, hasOcr }: EngineFormats,
): void {
  const extension = extensionOf(filename);
  const format = formatOfExtension(extension);
  const maxBytes = MAX_BYTES_PER_CHAR * maxTextChars;
  if (format?.isText && size > maxBytes) {
    throw new ToolError(
      `total_size of a ${extension} file must be at most ${maxBytes} bytes, because its text may have ` +
        `${maxTextChars} characters, got ${size}. Split the file, or ask the operator to raise KB_MAX_TEXT_CHARS.`,
    );
  }
  if (format?.id === "image" && !hasOcr) {
    throw new ToolError(
      `${extension} files can be read only with OCR: run kb-mcp model install ocr-eng on the engine's machine and ` +
        "restart it. Or write the text of the image into a note with kb_addnote.",
    );
  }
  if (!UNREADABLE_EXTENSIONS.has(extension)) return;
  throw new ToolError(
    `${extension} files cannot be read: filename must name a file of a supported type. Convert the file, or write its ` +
      `important content into a note with kb_addnote. Supported are ${
        supportedFormats(hasOcr)
      }, and other text files.`,
  );
}

function extensionOf(filename: string): string {
  return /\.([^./\\\s]{1,16})\s*$/.exec(filename)?.[1]?.toLowerCase() ?? "";
}

/** Lists all formats with their extensions. */
function supportedFormats(hasOcr: boolean): string {
  return FILE_FORMATS.filter(({ id }) => hasOcr || id !== "image")
    .map(({ name, extensions }) => `${name} (${extensions.join(" ")})`).join(", ");
}
