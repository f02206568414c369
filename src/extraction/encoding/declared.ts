import { codePageNamed } from "./code_pages.ts";

/** Number of bytes at the start of a document that are searched for a declaration. */
const HEAD_BYTES = 2 ** 20;
/** Number of bytes in which an editor's declaration must be: two lines. */
const MODELINE_BYTES = 1024;

/** Names of encodings in LaTeX that are no labels of `TextDecoder`. */
const LATEX_NAMES: Readonly<Record<string, string>> = {
  ansinew: "windows-1252",
  applemac: "macintosh",
  latin9: "iso-8859-15",
  latin10: "iso-8859-16",
  utf8x: "utf-8",
};

/** Returns the `charset` parameter of a media type in lower case (RFC 9110 §8.3.1). */
export function charsetOf(contentType: string | undefined): string | undefined {
  return /;\s*charset\s*=\s*"?([\w.:+-]{2,40})/i.exec((contentType ?? "").slice(0, 500))?.[1]?.toLowerCase();
}

/**
 * Returns the encoding that a document declares: HTML (browsers search 1024 bytes, pages of some programs declare it
 * later), XML, LaTeX, or a comment for editors in the first two lines (PEP 263).
 */
export function declaredEncoding(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder("latin1").decode(bytes.subarray(0, HEAD_BYTES));
  const found = /<meta\b[^>]{0,300}?charset\s*=\s*["']?\s*([\w.:+-]{2,40})/i.exec(head) ??
    /^\s*<\?xml\b[^>]{0,200}?encoding\s*=\s*["']([\w.:+-]{2,40})/i.exec(head) ??
    /\\(?:usepackage\s*\[([\w-]{2,20})\]\s*\{inputenc\}|inputencoding\{([\w-]{2,20})\})/.exec(head) ??
    /^(?:[^\n]{0,200}\n)?[^\n]{0,200}\b(?:file)?(?:en)?coding[:=]\s*([\w.-]{2,40})/i
      .exec(head.slice(0, MODELINE_BYTES));
  const name = (found?.[1] ?? found?.[2])?.toLowerCase();
  return name === undefined ? undefined : LATEX_NAMES[name] ?? name;
}

/** Returns the label of an encoding for `decodeWith`; undefined if it is unknown. */
export function encodingLabel(name: string): string | undefined {
  const page = codePageNamed(name);
  if (page !== undefined) return page;
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}
