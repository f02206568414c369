import { FILE_FORMATS } from "../contract/rules/mod.ts";
import { isTar } from "./archive/tar_reader.ts";
import { extensionOf } from "./extension.ts";
import { mailFormat } from "./mail/mail_format.ts";
import { isManPage } from "./man/is_man_page.ts";
import { isBinary } from "./encoding/unicode.ts";
import { describeBinary, isImage, isOle2, startsWith } from "./signatures.ts";
import { type TextFormat, textFormatOf } from "./text_formats.ts";
import type { SourceFile } from "./types.ts";

/**
 * Format by the file's content and name. The entries of a ZIP archive and the streams of an OLE2 compound file decide
 * their actual format.
 */
export type DetectedFormat =
  | "pdf"
  | "zip"
  | "ole2"
  | "rtf"
  | "image"
  | "archive"
  | "eml"
  | "mhtml"
  | TextFormat;

/** Result of {@linkcode detect}. */
export type Detection =
  | { readonly format: DetectedFormat }
  /** An unsupported format, with its article: "a JPEG picture". */
  | { readonly unsupported: string }
  /** The name says PDF, DOCX or another package, the bytes contradict it. */
  | { readonly mismatch: string };

/** Names of the formats that are ZIP packages, by extension. Files named `.doc` or `.xls` are often HTML or text. */
export const PACKAGE_NAMES: ReadonlyMap<string, string> = new Map(
  FILE_FORMATS.filter(({ id }) => /^(?:docx|pptx|xlsx|od[tps]|epub)$/.test(id)).flatMap(
    ({ name, extensions }) => extensions.map((extension) => [extension, name] as const),
  ),
);
/** Number of bytes that are searched for a signature (for PDF: ISO 32000-1, implementation note 13). */
const SIGNATURE_BYTES = 1024;

/** Number of bytes at the start of a file that {@linkcode detect} inspects. */
export const DETECTION_BYTES = 65_536;

/**
 * Detects the format of a file by its first {@linkcode DETECTION_BYTES} bytes; of text by the file name, or by
 * the media type if there is no extension.
 */
export function detect(file: SourceFile): Detection {
  const { bytes } = file;
  const extension = extensionOf(file.filename);
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, SIGNATURE_BYTES));
  const start = head.replace(/^(?:\xef\xbb\xbf)?\s+/, "");

  const pdfAt = head.indexOf("%PDF-");
  const claimsPdf = extension === "pdf" || mediaType(file) === "application/pdf";
  if (
    start.startsWith("%PDF-") ||
    (pdfAt >= 0 && (claimsPdf || isBinary(bytes) || head.slice(0, pdfAt).includes("\0")))
  ) return { format: "pdf" };
  if (startsWith(bytes, "PK\x03\x04") || startsWith(bytes, "PK\x05\x06")) return { format: "zip" };
  if (isOle2(bytes)) return { format: "ole2" };
  if (startsWith(bytes, "\x1f\x8b\x08") || isTar(bytes)) return { format: "archive" };
  // Some programs write fragments without the header.
  if (start.startsWith("{\\rtf") || (extension === "rtf" && start.startsWith("{\\"))) {
    return { format: "rtf" };
  }
  if (start.startsWith("%!PS")) return { unsupported: "a PostScript document" };
  const mail = mailFormat(head, extension);
  if (mail) return { format: mail };
  if (isImage(bytes)) return { format: "image" };
  if (isBinary(bytes)) return { unsupported: describeBinary(bytes) };
  if (isHtml(start)) return { format: "html" };
  const claimed = claimsPdf ? "PDF" : PACKAGE_NAMES.get(extension);
  if (claimed !== undefined) {
    return { mismatch: `its name or type says that it is a ${claimed} file, but its bytes are plain text` };
  }
  const format = textFormatOf(start, extension, mediaType(file));
  // The title of a page can follow definitions of many macros. Names of pages end with a section: `ls.1`, `printf.3p`.
  if (format === "text" && /^(?:[.']|\\["#])/.test(start)) {
    const longStart = new TextDecoder("latin1").decode(bytes.subarray(0, DETECTION_BYTES));
    if (isManPage(longStart)) return { format: "man" };
  }
  return { format };
}

function mediaType(file: SourceFile): string {
  return (file.contentType ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

/** Whether text starts with an HTML doctype or `<html>`, after an optional XML declaration and comments. */
function isHtml(start: string): boolean {
  return /^(?:<\?xml\b[^>]{0,200}\?>\s*)?(?:<!--(?:(?!-->)[^]){0,600}-->\s*){0,5}<(?:!doctype\s+html|html)[\s>]/i
    .test(start);
}
