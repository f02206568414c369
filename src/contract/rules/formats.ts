/**
 * A file format of the embedded engine. `archive` yields documents of other types; third-party engines may read
 * other formats.
 */
export interface FileFormat {
  /** Identifier of the format. */
  readonly id: string;
  /** `doc_type` of its documents; null for `archive`, whose files become documents of their own. */
  readonly docType: string | null;
  /** Name for people. */
  readonly name: string;
  /** Extensions in lower case, without the dot; the usual one first. */
  readonly extensions: readonly string[];
  /** Media types, the registered one first. */
  readonly mediaTypes: readonly string[];
  /** Whether the bytes are text in some encoding, so that their number limits the length of the text. */
  readonly isText: boolean;
  /**
   * Whether files with its extensions are documents when a whole folder is added. Code, data and settings are not:
   * they would crowd out the documents in a search.
   */
  readonly inFolders: boolean;
}

/** Describes a format with fewer words than an object literal. */
function format<const Id extends string, const Type extends string | null>(
  id: Id,
  docType: Type,
  name: string,
  extensions: string,
  mediaTypes: string,
  { isText = false, inFolders = true }: { isText?: boolean; inFolders?: boolean } = {},
) {
  const list = (words: string): readonly string[] => words.split(" ").filter((word) => word !== "");
  return {
    id,
    docType,
    name,
    extensions: list(extensions),
    mediaTypes: list(mediaTypes),
    isText,
    inFolders,
  } as const;
}

/** Options of formats whose files are text. */
const TEXT = { isText: true };
/** Options of formats of code and data. */
const DATA = { isText: true, inFolders: false };

const OOXML = "application/vnd.openxmlformats-officedocument";
const ODF = "application/vnd.oasis.opendocument";

/**
 * All formats that the embedded engine reads, in the order in which error messages and documents list them.
 *
 * @example
 * ```ts
 * import { FILE_FORMATS } from "./formats.ts";
 * import { assertEquals } from "@std/assert";
 * const word = FILE_FORMATS.find(({ extensions }) => extensions.includes("docx"));
 * assertEquals([word?.name, word?.docType], ["Word", "docx"]);
 * ```
 */
export const FILE_FORMATS = [
  format("pdf", "pdf", "PDF", "pdf", "application/pdf"),
  format("docx", "docx", "Word", "docx docm dotx dotm", `${OOXML}.wordprocessingml.document`),
  format("doc", "doc", "Word 97–2003", "doc dot", "application/msword"),
  format(
    "pptx",
    "pptx",
    "PowerPoint",
    "pptx pptm ppsx ppsm potx potm",
    `${OOXML}.presentationml.presentation`,
  ),
  format("xlsx", "xlsx", "Excel", "xlsx xlsm xltx", `${OOXML}.spreadsheetml.sheet`),
  format("xls", "xls", "Excel 97–2003", "xls xlt", "application/vnd.ms-excel"),
  format("odt", "odt", "OpenDocument text", "odt ott", `${ODF}.text`),
  format("odp", "odp", "OpenDocument presentation", "odp otp", `${ODF}.presentation`),
  format("ods", "ods", "OpenDocument spreadsheet", "ods ots", `${ODF}.spreadsheet`),
  format("epub", "epub", "EPUB", "epub", "application/epub+zip"),
  format("rtf", "rtf", "rich text", "rtf", "application/rtf text/rtf"),
  format("html", "html", "HTML", "html htm xhtml shtml", "text/html application/xhtml+xml", TEXT),
  format("mhtml", "mhtml", "saved web page", "mhtml mht", "multipart/related"),
  format(
    "markdown",
    "markdown",
    "Markdown",
    "md markdown mdown mkd mkdn mdx qmd rmd",
    "text/markdown text/x-markdown",
    TEXT,
  ),
  format("text", "text", "plain text", "txt text textile typ", "text/plain", TEXT),
  format("csv", "csv", "CSV and TSV", "csv tsv tab", "text/csv text/tab-separated-values", TEXT),
  format(
    "json",
    "json",
    "JSON and JSON Lines",
    "json jsonl ndjson geojson",
    "application/json application/jsonl",
    DATA,
  ),
  format(
    "xml",
    "xml",
    "XML and RSS",
    "xml rss atom",
    "application/xml text/xml application/rss+xml application/atom+xml",
    DATA,
  ),
  format("ipynb", "ipynb", "Jupyter notebook", "ipynb", "application/x-ipynb+json", TEXT),
  format("eml", "email", "e-mail (.eml, .mbox)", "eml mbox", "message/rfc822 application/mbox"),
  format("msg", "email", "Outlook message (.msg)", "msg", "application/vnd.ms-outlook"),
  format("subtitles", "subtitles", "subtitles", "vtt srt", "text/vtt application/x-subrip", TEXT),
  format("asciidoc", "asciidoc", "AsciiDoc", "adoc asciidoc", "text/asciidoc", TEXT),
  format("rst", "rst", "reStructuredText", "rst rest", "text/x-rst", TEXT),
  format("org", "org", "Org", "org", "text/org", TEXT),
  format("latex", "latex", "LaTeX", "tex latex ltx", "application/x-tex text/x-tex", TEXT),
  format("bibtex", "bibliography", "BibTeX", "bib bibtex", "application/x-bibtex text/x-bibtex", TEXT),
  format("ris", "bibliography", "RIS", "ris", "application/x-research-info-systems", TEXT),
  format("ics", "calendar", "iCalendar", "ics ical", "text/calendar", TEXT),
  format("vcf", "contacts", "vCard", "vcf vcard", "text/vcard text/x-vcard", TEXT),
  format("man", "man", "manual page", "man mdoc", "text/troff application/x-troff-man", TEXT),
  format(
    "code",
    "code",
    "source code",
    "py js mjs cjs ts mts cts tsx jsx java kt kts go rs c h cc cpp cxx hpp hh cs rb php swift scala lua r jl pl pm sh bash " +
      "zsh ps1 sql hs ex exs erl clj dart zig nim ml mli fs vue svelte css scss less",
    "",
    DATA,
  ),
  format(
    "image",
    "image",
    "image (only with OCR)",
    "png jpg jpeg tif tiff bmp webp gif",
    "image/png image/jpeg image/tiff image/bmp image/webp image/gif",
    { inFolders: false },
  ),
  format(
    "archive",
    null,
    "ZIP and TAR archive",
    "zip tar tgz gz",
    "application/zip application/x-tar application/gzip",
    {
      inFolders: false,
    },
  ),
] as const satisfies readonly FileFormat[];

/** Identifier of a format in {@linkcode FILE_FORMATS}. */
export type FormatId = typeof FILE_FORMATS[number]["id"];

/**
 * Document types of the embedded engine. Third-party engines may have others, so the wire type is a string.
 */
export type DocType = "note" | Exclude<typeof FILE_FORMATS[number]["docType"], null>;

/** All document types, for validation. */
export const DOC_TYPES: readonly DocType[] = [
  ...new Set<DocType>(["note", ...FILE_FORMATS.flatMap(({ docType }) => docType === null ? [] : [docType])]),
];

/** Returns the format that a file name's extension (lower case, without the dot) names. */
export function formatOfExtension(extension: string): typeof FILE_FORMATS[number] | undefined {
  return BY_EXTENSION.get(extension);
}

const BY_EXTENSION = new Map(
  FILE_FORMATS.flatMap((each) => each.extensions.map((extension) => [extension, each] as const)),
);
