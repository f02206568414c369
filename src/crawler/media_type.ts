import { FetchError } from "./errors.ts";
import { displayUrl } from "./target.ts";

/** Extensions by media type of documents; the first is the default for a URL without a fitting one. */
const EXTENSIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ["text/html", ["html", "htm"]],
  ["application/xhtml+xml", ["xhtml", "html", "htm"]],
  ["text/markdown", ["md", "markdown"]],
  ["text/x-markdown", ["md", "markdown"]],
  ["text/plain", ["txt", "md", "markdown", "rst", "adoc", "log", "csv", "json", "yaml", "yml", "toml"]],
  ["text/csv", ["csv"]],
  ["text/xml", ["xml"]],
  ["application/xml", ["xml"]],
  ["application/json", ["json"]],
  ["application/pdf", ["pdf"]],
  ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", ["docx"]],
]);

/** Extensions that name the type of a file without a media type, or with the type of any bytes. */
const UNTYPED_EXTENSIONS: ReadonlySet<string> = new Set([
  "pdf",
  "docx",
  "md",
  "markdown",
  "txt",
  "html",
  "htm",
]);

/** Value of `Accept`. */
export const ACCEPTED_TYPES =
  "text/html, application/xhtml+xml, text/markdown, application/pdf, text/plain;q=0.9, */*;q=0.5";

/**
 * Returns the file name of a fetched document, whose extension selects the format of the extraction.
 *
 * @param url URL of the document.
 * @param contentType Value of `Content-Type`.
 * @throws {FetchError} `unsupported_type`: a picture, script or archive, for example.
 */
export function documentFilename(url: URL, contentType: string | undefined): string {
  const type = mediaType(contentType);
  const [, name = "index", extension = ""] = /([^/]*?)(?:\.([a-z0-9]{1,16}))?$/i.exec(lastSegment(url)) ?? [];
  const lower = extension.toLowerCase();
  const stem = name === "" ? "index" : name;
  if (type === "" || type === "application/octet-stream" || type === "binary/octet-stream") {
    if (UNTYPED_EXTENSIONS.has(lower)) return `${stem}.${lower}`;
    throw unsupported(url, type === "" ? "no media type" : type);
  }
  const extensions = EXTENSIONS.get(type);
  if (!extensions) throw unsupported(url, type);
  return `${stem}.${extensions.includes(lower) ? lower : extensions[0]}`;
}

/** Returns the media type of a `Content-Type` in lower case without parameters. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? "").split(";", 1)[0]!.trim().toLowerCase();
}

/** Returns whether a document is a web page, whose links can be followed. */
export function isHtml(contentType: string | undefined): boolean {
  return /^(?:text\/html|application\/xhtml\+xml)$/.test(mediaType(contentType));
}

function lastSegment(url: URL): string {
  const segment = url.pathname.split("/").at(-1) ?? "";
  try {
    // A separator that the encoding hid stays encoded.
    const name = decodeURIComponent(segment);
    return /[/\\\p{Cc}]/u.test(name) ? segment : name;
  } catch {
    return segment;
  }
}

function unsupported(url: URL, type: string): FetchError {
  return new FetchError(
    "unsupported_type",
    `Cannot fetch ${displayUrl(url)}: its type must be HTML, PDF, Word (.docx), Markdown or text, got ${
      type.slice(0, 80)
    }`,
  );
}
