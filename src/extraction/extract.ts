import { type FormatId, formatOfExtension } from "../contract/rules/mod.ts";
import { limitFiles } from "./contained_files.ts";
import { detect, type DetectedFormat, DETECTION_BYTES } from "./detect.ts";
import { damaged, displayName, type ExtractionError, noText, unsupported } from "./errors.ts";
import { extensionOf } from "./extension.ts";
import { MAX_TEXT_CHARS } from "./limits.ts";
import { checkLength, tooLongText } from "./normalize.ts";
import type { ExtractedText, ExtractionContext, FormatExtractor, SourceFile } from "./types.ts";

/** Loads the extractor of a format when the first file of that format arrives. */
const LOADERS = {
  pdf: async () => (await import("./formats/pdf.ts")).extractPdf,
  docx: async () => (await import("./formats/docx.ts")).extractDocx,
  pptx: async () => (await import("./formats/pptx.ts")).extractPptx,
  epub: async () => (await import("./formats/epub.ts")).extractEpub,
  odt: async () => (await import("./formats/odt.ts")).extractOdt,
  odp: async () => (await import("./formats/odp.ts")).extractOdp,
  rtf: async () => (await import("./formats/rtf.ts")).extractRtf,
  xls: async () => (await import("./formats/xls.ts")).extractXls,
  ods: async () => (await import("./formats/ods.ts")).extractOds,
  xlsx: async () => (await import("./formats/xlsx.ts")).extractXlsx,
  doc: async () => (await import("./formats/doc.ts")).extractDoc,
  html: async () => (await import("./formats/html.ts")).extractHtml,
  markdown: async () => (await import("./formats/markdown.ts")).extractMarkdown,
  mhtml: async () => (await import("./formats/mhtml.ts")).extractMhtml,
  eml: async () => (await import("./formats/eml.ts")).extractEml,
  msg: async () => (await import("./formats/msg.ts")).extractMsg,
  archive: async () => (await import("./formats/archive.ts")).extractArchive,
  json: async () => (await import("./formats/json.ts")).extractJson,
  xml: async () => (await import("./formats/xml.ts")).extractXml,
  ipynb: async () => (await import("./formats/ipynb.ts")).extractNotebook,
  subtitles: async () => (await import("./formats/subtitles.ts")).extractSubtitles,
  asciidoc: async () => (await import("./formats/asciidoc.ts")).extractAsciiDoc,
  rst: async () => (await import("./formats/rst.ts")).extractRst,
  latex: async () => (await import("./formats/latex.ts")).extractLatex,
  bibtex: async () => (await import("./formats/bibtex.ts")).extractBibtex,
  ris: async () => (await import("./formats/ris.ts")).extractRis,
  ics: async () => (await import("./formats/ics.ts")).extractIcs,
  vcf: async () => (await import("./formats/vcf.ts")).extractVcf,
  man: async () => (await import("./formats/man.ts")).extractMan,
  code: async () => (await import("./formats/code.ts")).extractCode,
  org: async () => (await import("./formats/org.ts")).extractOrg,
  image: async () => (await import("./formats/image.ts")).extractImage,
  csv: async () => (await import("./formats/csv.ts")).extractCsv,
  text: async () => (await import("./formats/plain_text.ts")).extractPlainText,
} satisfies Record<FormatId, () => Promise<FormatExtractor>>;

/**
 * Extracts the text of a file. The format is detected by content, then by name, then by media type.
 *
 * A parser may take minutes for a malicious file, or never return: call this in a process that can be killed,
 * with a timeout.
 *
 * @param file The file. The PDF parser detaches its bytes.
 * @param options Limits, and receivers of progress and of contained files. By default the limits of `limits.ts`, and
 * both are dropped.
 * @returns `null` for an archive, which has no text of its own.
 * @throws {ExtractionError} `unsupported_type`, `no_text`, `unreadable_text`, `too_large` (see `limits.ts`), `damaged` or
 * `encrypted`. `cause` is the error of the parser.
 *
 * @example
 * ```ts
 * import { extract } from "./extract.ts";
 * import { assertEquals } from "@std/assert";
 * const bytes = new TextEncoder().encode("---\ntags: [garden]\n---\n# Plants\n\nWater them.\n");
 * const plants = await extract({ bytes, filename: "plants.md", contentType: undefined });
 * assertEquals([plants?.docType, plants?.title, plants?.tags], ["markdown", "Plants", ["garden"]]);
 * assertEquals(plants?.text, "# Plants\n\nWater them.\n");
 * ```
 */
export async function extract(
  file: SourceFile,
  options: Partial<Omit<ExtractionContext, "name">> = {},
): Promise<ExtractedText | null> {
  const context = limitFiles({ ...DEFAULT_CONTEXT, ...options, name: displayName(file.filename) });
  if (file.bytes.length === 0) throw emptyFile(context.name);
  const format = await formatOf(file, context.name);
  const extractor: FormatExtractor = await LOADERS[format]();
  const text = await extractor(file, context);
  if (text) checkLength(text.text.length, context);
  return text;
}

const DEFAULT_CONTEXT: Omit<ExtractionContext, "name"> = {
  maxTextChars: MAX_TEXT_CHARS,
  onProgress: () => {},
  fileLimits: undefined,
  onFile: () => Promise.resolve(),
  ocr: undefined,
};

/** Formats that can be read as plain text. */
const LONG_TEXTS: ReadonlySet<string> = new Set<FormatId>(
  [
    "text",
    "markdown",
    "csv",
    "json",
    "xml",
    "subtitles",
    "asciidoc",
    "rst",
    "org",
    "latex",
    "bibtex",
    "ris",
    "man",
    "code",
  ],
);

/** Formats whose text can be much shorter than the file: pictures and fonts take most of it. */
const CONTAINERS: ReadonlySet<DetectedFormat> = new Set([
  "pdf",
  "zip",
  "ole2",
  "rtf",
  "image",
  "archive",
  "eml",
  "mhtml",
]);

/**
 * Refuses a file by its size and its first bytes, without third-party parsers: what {@linkcode extract} would
 * refuse anyway, before the file is read.
 *
 * @param file The file with its first `DETECTION_BYTES` bytes.
 * @param options.sizeBytes Size of the whole file.
 * @param options.maxTextChars Maximum length of its text, in UTF-16 code units: at most 4 bytes each, as in UTF-32.
 * @throws {ExtractionError} `no_text`, `unsupported_type`, `damaged` or `too_large`.
 */
export function checkStart(
  file: SourceFile,
  { sizeBytes, maxTextChars = MAX_TEXT_CHARS }: {
    readonly sizeBytes: number;
    readonly maxTextChars?: number;
  },
): void {
  const name = displayName(file.filename);
  if (sizeBytes === 0) throw emptyFile(name);
  const format = detectFormat(file, name);
  if (!CONTAINERS.has(format) && sizeBytes > 4 * maxTextChars) throw tooLongText(name, maxTextChars);
}

/**
 * Whether a file is read by `readLongText`: plain text that is longer than texts may be by default.
 *
 * @param file The file with its first `DETECTION_BYTES` bytes.
 * @param sizeBytes Size of the whole file.
 */
export function isLongText(file: SourceFile, sizeBytes: number): boolean {
  if (sizeBytes <= MAX_TEXT_CHARS) return false;
  const detection = detect(file);
  return "format" in detection && LONG_TEXTS.has(detection.format);
}

/** Maximum size of a small text, in bytes. */
export const MAX_SMALL_TEXT_BYTES = DETECTION_BYTES;

/** Formats that {@linkcode extractSmallText} reads. */
const SMALL_TEXTS: ReadonlySet<string> = new Set<FormatId>(["markdown", "text"]);

/**
 * Extracts short Markdown or plain text in UTF-8 with the code that reads notes: no other parser, and no guess of an
 * encoding. The result is that of {@linkcode extract}.
 *
 * @returns Undefined for any other file.
 * @throws {ExtractionError} `no_text`.
 */
export async function extractSmallText(file: SourceFile): Promise<ExtractedText | undefined> {
  const { bytes, filename } = file;
  if (bytes.byteLength === 0 || bytes.byteLength > MAX_SMALL_TEXT_BYTES) return undefined;
  if (!isTextName(filename) || !isUtf8(bytes)) return undefined;
  const detection = detect(file);
  const format = "format" in detection ? detection.format : undefined;
  if (format !== "markdown" && format !== "text") return undefined;
  const extractor: FormatExtractor = await LOADERS[format]();
  const text = await extractor(file, { ...DEFAULT_CONTEXT, name: displayName(filename) });
  return text ?? undefined;
}

/** Whether a file has a name of Markdown or plain text. */
export function isTextName(filename: string | undefined): boolean {
  return SMALL_TEXTS.has(formatOfExtension(extensionOf(filename))?.id ?? "");
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    return !new TextDecoder("utf-8", { fatal: true }).decode(bytes).includes("\0");
  } catch {
    return false;
  }
}

async function formatOf(file: SourceFile, name: string): Promise<FormatId> {
  const format = detectFormat(file, name);
  if (format === "zip") return await (await import("./packages.ts")).zipFormat(file, name);
  if (format === "ole2") return (await import("./packages.ts")).ole2Format(file, name);
  return format;
}

function detectFormat(file: SourceFile, name: string): DetectedFormat {
  const detection = detect(file);
  if ("unsupported" in detection) throw unsupported(name, detection.unsupported);
  if ("mismatch" in detection) throw damaged(name, `${detection.mismatch}. Upload the original file`);
  return detection.format;
}

function emptyFile(name: string): ExtractionError {
  return noText(name, "it is empty", "upload it again with its content");
}
