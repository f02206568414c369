import { Buffer } from "node:buffer";
import { damaged } from "../errors.ts";
import { MAX_MHTML_PARTS } from "../limits.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";
import { extractHtml } from "./html.ts";

/** Reads the main page of a saved web page (MHTML, RFC 2557), without its frames. */
export async function extractMhtml(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  // One byte per character: positions are those of the bytes.
  const source = Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength).toString(
    "latin1",
  );
  const page = mainPart(splitHead(source), 0);
  if (!page) throw damaged(context.name, "the saved web page has no HTML");
  const html = {
    bytes: decodeBody(page),
    filename: undefined,
    contentType: header(page, "content-type"),
  };
  return { ...await extractHtml(html, context), docType: "mhtml" };
}

/** Headers and body of a part. */
interface Part {
  readonly head: string;
  readonly body: string;
}

/** Maximum number of multipart containers around the page. */
const MAX_DEPTH = 5;

/** Returns the page: the part that `start` names, or the first HTML. */
function mainPart(part: Part, depth: number): Part | undefined {
  const type = header(part, "content-type") ?? "text/html";
  if (/^text\/html\b|^application\/xhtml\+xml\b/i.test(type)) return part;
  const boundary = /\bboundary\s*=\s*(?:"([^"]{1,200})"|([^\s;]{1,200}))/i.exec(type);
  if (!/^multipart\//i.test(type) || !boundary || depth >= MAX_DEPTH) return undefined;
  const parts = splitParts(part.body, boundary[1] ?? boundary[2]!);
  const start = /\bstart\s*=\s*"?(<[^>]{1,300}>)/i.exec(type)?.[1];
  const root = start && parts.find((each) => header(each, "content-id") === start);
  for (const each of root ? [root, ...parts] : parts) {
    const found = mainPart(each, depth + 1);
    if (found) return found;
  }
  return undefined;
}

function splitParts(body: string, boundary: string): Part[] {
  const delimiter = `--${boundary}`;
  const parts: Part[] = [];
  for (let at = body.indexOf(delimiter); at >= 0 && parts.length < MAX_MHTML_PARTS;) {
    const start = at + delimiter.length;
    const end = body.indexOf(`\n${delimiter}`, start);
    if (body.startsWith("--", start)) break;
    parts.push(splitHead(body.slice(start, end < 0 ? undefined : end).replace(/^[ \t]*\r?\n/, "")));
    at = end < 0 ? -1 : end + 1;
  }
  return parts;
}

function splitHead(source: string): Part {
  const end = /\r?\n\r?\n/.exec(source);
  if (!end) return { head: source.slice(0, 10_000), body: "" };
  return { head: source.slice(0, end.index), body: source.slice(end.index + end[0].length) };
}

/** Returns a header with its continuation lines. */
function header({ head }: Part, name: string): string | undefined {
  const unfolded = head.slice(0, 100_000).replace(/\r?\n[ \t]+/g, " ");
  return new RegExp(`^${name}:[ \\t]*(.*)$`, "im").exec(unfolded)?.[1]?.trim();
}

function decodeBody(part: Part): Uint8Array<ArrayBuffer> {
  switch (header(part, "content-transfer-encoding")?.toLowerCase()) {
    case "base64":
      return new Uint8Array(Buffer.from(part.body, "base64"));
    case "quoted-printable":
      return new Uint8Array(Buffer.from(decodeQuotedPrintable(part.body), "latin1"));
    default:
      return new Uint8Array(Buffer.from(part.body, "latin1"));
  }
}

/** Decodes quoted-printable text (RFC 2045 §6.7). */
function decodeQuotedPrintable(text: string): string {
  return text.replace(/[ \t]+(?=\r?$)/gm, "").replace(/=\r?\n/g, "")
    .replace(/=([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
}
