import { FILE_FORMATS, type FormatId, formatOfExtension } from "../contract/rules/mod.ts";

/** Identifiers of the formats whose bytes are text. */
export type TextFormat =
  | "html"
  | "markdown"
  | "text"
  | "csv"
  | "json"
  | "xml"
  | "ipynb"
  | "subtitles"
  | "asciidoc"
  | "rst"
  | "org"
  | "latex"
  | "bibtex"
  | "ris"
  | "ics"
  | "vcf"
  | "man"
  | "code";

/** Extensions that say nothing about the content. */
const VAGUE = new Set(["", "txt", "text", "log", "bak", "tmp", "data", "out"]);

/** Formats that the start of a file shows, whatever it is called. */
const SIGNATURES: readonly (readonly [TextFormat, RegExp])[] = [
  ["subtitles", /^WEBVTT(?:[ \t\n\r]|$)/],
  ["subtitles", /^\d{1,6}\r?\n\d{1,3}:\d{2}:\d{2}[.,]\d{3} --> \d/],
  [
    "ipynb",
    /^\{\s*"(?:cells"\s*:\s*\[\s*\{\s*"(?:attachments|cell_type|id|metadata|execution_count)|nbformat")/,
  ],
  ["xml", /^<\?xml\s[^>]{0,200}\?>/],
  ["xml", /^<(?:rss|feed|rdf:RDF)[\s>]/],
  ["ics", /^BEGIN:VCALENDAR[ \t]*(?:[\r\n]|$)/i],
  ["vcf", /^BEGIN:VCARD[ \t]*(?:[\r\n]|$)/i],
  ["ris", /^TY {1,2}- [A-Z]{3,8}[ \t]*\r?\n/],
];
/** Formats that the start of a file with a vague name shows. */
const HINTS: readonly (readonly [TextFormat, RegExp])[] = [
  ["latex", /^(?:\s{0,100}(?:%[^\n]{0,500}\n\s{0,100}){0,40})\\(?:documentclass|documentstyle)\b/],
  ["org", /^(?:#[^\n]{0,200}\n){0,10}#\+(?:title|author|options|startup):/i],
  [
    "bibtex",
    /^@(?:article|book|booklet|conference|inbook|incollection|inproceedings|manual|mastersthesis|misc|online|phdthesis|proceedings|report|string|techreport|thesis|unpublished)[ \t]{0,20}\{[^{}"=]{0,200}[,=]/i,
  ],
  // `[[` also starts anchors of AsciiDoc, links of wikis and tables of TOML.
  ["json", /^[[{]\s*(?:[\]}"{]|\[\s*[\]"[{\d-])/],
  ["code", /^#!\s*\/\S*\/(?:env\s+)?(?:-S\s+)?(?:python|node|deno|ruby|perl|bash|sh|zsh)/],
];

/**
 * Returns the format of a text file: by its first characters, then by its name, then by its media type, which senders
 * often guess.
 *
 * @param start The start of the file, without white space.
 * @param extension Extension of the name, or an empty string.
 */
export function textFormatOf(start: string, extension: string, mediaType: string): TextFormat {
  const named = textFormat(formatOfExtension(extension)?.id);
  const shown = SIGNATURES.find(([, pattern]) => pattern.test(start))?.[0];
  // Source code and pages can start like XML.
  if (shown !== undefined && (named === undefined || VAGUE.has(extension) || named === "json")) return shown;
  if (named !== undefined && !VAGUE.has(extension)) return named;
  if (!VAGUE.has(extension)) return "text";
  const hinted = HINTS.find(([, pattern]) => pattern.test(start))?.[0];
  if (extension !== "") return hinted ?? "text";
  const typed = FILE_FORMATS.find(({ mediaTypes }) => (mediaTypes as readonly string[]).includes(mediaType))
    ?.id;
  return textFormat(typed === "text" ? undefined : typed) ?? hinted ?? "text";
}

function textFormat(id: FormatId | undefined): TextFormat | undefined {
  const found = FILE_FORMATS.find((each) => each.id === id);
  return found?.isText ? found.id as TextFormat : undefined;
}
