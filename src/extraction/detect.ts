import { isBinary } from "./encoding.ts";
import { isOle2, nameBinary, startsWith } from "./signatures.ts";
import type { SourceFile } from "./types.ts";

/** How a file is read. A ZIP archive is looked into before anything more is known of it. */
export type Format = "pdf" | "zip" | "html" | "markdown" | "text";

/** What the bytes are, or why they are of no use. */
export type Detection =
  | { readonly format: Format }
  /** A kind of file that is not read; with its article: "a JPEG picture". */
  | { readonly unsupported: string }
  /** The name says PDF or DOCX, the bytes say otherwise. */
  | { readonly mismatch: string };

const HTML_EXTENSIONS = new Set(["html", "htm", "xhtml", "shtml"]);
const MARKDOWN_EXTENSIONS = new Set(["md", "markdown", "mdown", "mkd", "mkdn", "mdx", "qmd", "rmd"]);
/** Bytes at the start of which a format must show itself (ISO 32000-1, implementation note 13, for PDF). */
const HEAD_BYTES = 1024;

/**
 * Decides how a file is read: by its bytes; for text, which does not show its kind, by its name; without a telling name by the
 * media type that the sender claimed.
 */
export function detect(file: SourceFile): Detection {
  const { bytes } = file;
  const extension = extensionOf(file.filename);
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, HEAD_BYTES));
  const start = head.replace(/^(?:\xef\xbb\xbf)?\s+/, "");

  const pdfAt = head.indexOf("%PDF-");
  const claimsPdf = extension === "pdf" || mediaType(file) === "application/pdf";
  if (start.startsWith("%PDF-") || (pdfAt >= 0 && (claimsPdf || isBinary(bytes)))) return { format: "pdf" };
  if (startsWith(bytes, "PK\x03\x04") || startsWith(bytes, "PK\x05\x06")) return { format: "zip" };
  if (start.startsWith("{\\rtf")) return { unsupported: "a rich text document (.rtf)" };
  if (start.startsWith("%!PS")) return { unsupported: "a PostScript document" };
  if (extension === "docx" && isOle2(bytes)) {
    return { mismatch: "it is protected with a password, or is a .doc under the name of a .docx" };
  }
  if (isBinary(bytes)) return { unsupported: nameBinary(bytes, extension) };
  if (isHtml(start)) return { format: "html" };
  if (claimsPdf || extension === "docx") {
    const is = claimsPdf ? "a PDF" : "a Word document";
    return { mismatch: `its name or type says that it is ${is}, but its bytes are plain text` };
  }
  return { format: textFormat(extension, mediaType(file)) };
}

/** The extension of a file name, lower case, without its dot; empty if there is none. */
export function extensionOf(filename: string | undefined): string {
  return /\.([^./\\\s]{1,16})$/.exec(filename ?? "")?.[1]?.toLowerCase() ?? "";
}

function mediaType(file: SourceFile): string {
  return (file.contentType ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

/** Whether text begins as HTML does, after an XML declaration and comments. */
function isHtml(start: string): boolean {
  return /^(?:<\?xml\b[^>]{0,200}\?>\s*)?(?:<!--(?:(?!-->)[^]){0,600}-->\s*){0,5}<(?:!doctype\s+html|html)[\s>]/i
    .test(start);
}

function textFormat(extension: string, type: string): Format {
  if (HTML_EXTENSIONS.has(extension)) return "html";
  if (MARKDOWN_EXTENSIONS.has(extension)) return "markdown";
  // A name that says something else ("notes.txt") outweighs the type, which senders often make up.
  if (extension !== "") return "text";
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  return type === "text/markdown" || type === "text/x-markdown" ? "markdown" : "text";
}
