import { damaged, ExtractionError, noText } from "../errors.ts";
import { MAX_BAD_PAGES } from "../limits.ts";
import { checkLength, normalizeText } from "../normalize.ts";
import { cleanTitle } from "../title.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";
import { type PageItem, pageText } from "./pdf_page.ts";

type PdfDocument = Awaited<ReturnType<typeof import("unpdf").getDocumentProxy>>;

/** Separates pages. */
const PAGE_BREAK = "\n\n";

/** Extracts the text of a PDF page by page. The parser detaches the file's bytes. */
export async function extractPdf(file: SourceFile, { name }: ExtractionContext): Promise<ExtractedText> {
  const { getResolvedPDFJS } = await import("unpdf");
  const { getDocument } = await getResolvedPDFJS();
  const loading = getDocument({
    data: file.bytes,
    verbosity: 0,
    // Text only: nothing is rendered, fetched or run.
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    useWasm: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    enableXfa: false,
    maxImageSize: 1,
  });
  try {
    const pdf = await loading.promise;
    const { text, pageStarts } = await readPages(pdf, name);
    const metadata = await readProperties(pdf);
    return {
      docType: "pdf",
      title: titleOf(metadata),
      text,
      markup: "plain",
      pageStarts,
      metadata,
      tags: [],
    };
  } catch (error) {
    throw toExtractionError(error, name);
  } finally {
    await loading.destroy();
  }
}

async function readPages(pdf: PdfDocument, name: string): Promise<{ text: string; pageStarts: number[] }> {
  const pages: string[] = [];
  const pageStarts: number[] = [];
  let length = 0;
  let hasText = false;
  let badPages = 0;
  for (let number = 1; number <= pdf.numPages; number++) {
    let text = "";
    try {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      text = normalizeText(pageText(items as PageItem[])).trim();
      // Releases fonts and pictures, which would otherwise stay in memory until the last page.
      page.cleanup();
    } catch (error) {
      // One bad page must not fail the document, and a false page count of a billion must not take forever.
      if (++badPages > MAX_BAD_PAGES || badPages === pdf.numPages) throw error;
    }
    hasText ||= text !== "";
    pageStarts.push(length);
    pages.push(text);
    length += text.length + PAGE_BREAK.length;
    checkLength(length, name);
  }
  if (!hasText) throw noText(name, "it looks like a scan", "run OCR on it and upload the result");
  return { text: pages.join(PAGE_BREAK), pageStarts };
}

/** Entries of the information dictionary (ISO 32000-1 §14.3.3), with their metadata keys. */
const PROPERTIES: Readonly<Record<string, string>> = {
  Title: "title",
  Author: "author",
  Subject: "subject",
  Keywords: "keywords",
  CreationDate: "created",
  ModDate: "modified",
};

async function readProperties(pdf: PdfDocument): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = { pages: pdf.numPages };
  try {
    const info = (await pdf.getMetadata()).info as Record<string, unknown>;
    for (const [entry, key] of Object.entries(PROPERTIES)) {
      const value = cleanTitle(info[entry]);
      if (value !== undefined) found[key] = /Date$/.test(entry) ? isoDate(value) ?? value : value;
    }
  } catch {
    // Properties are optional: a document without valid ones is still extracted.
  }
  return found;
}

/** Converts a PDF date such as `D:20240131093000+01'00'` (ISO 32000-1 §7.9.4) to RFC 3339. */
function isoDate(date: string): string | undefined {
  const fields = /^D:(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)(?:(Z)|([+-]\d\d)'?(\d\d)?)?)?/.exec(date);
  if (!fields) return undefined;
  const [, year, month, day, hour, minute, second, , offsetHours, offsetMinutes] = fields;
  if (hour === undefined) return `${year}-${month}-${day}`;
  const offset = offsetHours === undefined ? "Z" : `${offsetHours}:${offsetMinutes ?? "00"}`;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`;
}

/** Returns the title of the properties, unless it is a placeholder of the program that wrote the file. */
function titleOf({ title }: Record<string, unknown>): string | undefined {
  const isPlaceholder =
    /^(?:\(?(?:untitled|anonymous|unspecified|title|document)\d*\)?|microsoft (?:word|powerpoint|excel) - .*|.*\.(?:docx?|pptx?|xlsx?|tex|dvi|indd|qxd|pdf))$/i;
  return typeof title === "string" && !isPlaceholder.test(title) ? title : undefined;
}

function toExtractionError(error: unknown, name: string): ExtractionError {
  if (error instanceof ExtractionError) return error;
  if (error instanceof Error && error.name === "PasswordException") {
    return damaged(name, "it is password-protected. Remove the password and upload it again", error);
  }
  return damaged(name, "it is not a valid PDF, or is damaged. Open it, save it again and upload that", error);
}
