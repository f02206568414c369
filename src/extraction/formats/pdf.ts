import { cleanTitle } from "../document_title.ts";
import { damaged, noText } from "../failures.ts";
import { MAX_BAD_PAGES } from "../limits.ts";
import { checkLength, normalizeText } from "../normalize.ts";
import { type PageItem, pageText } from "../page_text.ts";
import { type ExtractedText, ExtractionError, type SourceFile } from "../types.ts";

type PdfDocument = Awaited<ReturnType<typeof import("unpdf").getDocumentProxy>>;

/** Between two pages. */
const PAGE_BREAK = "\n\n";

/** The text of a PDF, page by page. The file's bytes are handed over to the parser, which detaches them. */
export async function extractPdf(file: SourceFile, name: string): Promise<ExtractedText> {
  const { getResolvedPDFJS } = await import("unpdf");
  const { getDocument } = await getResolvedPDFJS();
  const loading = getDocument({
    data: file.bytes,
    verbosity: 0,
    // Only text is wanted: nothing is drawn, loaded from elsewhere, or run.
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
    throw asExtractionError(error, name);
  } finally {
    await loading.destroy();
  }
}

async function readPages(pdf: PdfDocument, name: string): Promise<{ text: string; pageStarts: number[] }> {
  const pages: string[] = [];
  const pageStarts: number[] = [];
  let length = 0;
  let hasText = false;
  let bad = 0;
  for (let number = 1; number <= pdf.numPages; number++) {
    let text = "";
    try {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      text = normalizeText(pageText(items as PageItem[])).trim();
      // Fonts and pictures of pages that are done would stay in memory until the end.
      page.cleanup();
    } catch (error) {
      // One bad page must not lose the book, nor a page count of a thousand million take forever.
      if (++bad > MAX_BAD_PAGES || bad === pdf.numPages) throw error;
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

/** Entries of the information dictionary (ISO 32000-1, 14.3.3) that are kept, with their keys in the metadata. */
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
    // The text is there; what the document says of itself is a bonus.
  }
  return found;
}

/** `D:20240131093000+01'00'` (ISO 32000-1, 7.9.4) as RFC 3339. */
function isoDate(date: string): string | undefined {
  const parts = /^D:(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)(?:(Z)|([+-]\d\d)'?(\d\d)?)?)?/.exec(date);
  if (!parts) return undefined;
  const [, year, month, day, hour, minute, second, , offsetHours, offsetMinutes] = parts;
  if (hour === undefined) return `${year}-${month}-${day}`;
  const offset = offsetHours === undefined ? "Z" : `${offsetHours}:${offsetMinutes ?? "00"}`;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${offset}`;
}

/** The title in the properties, unless it is what a program writes when nobody gave one. */
function titleOf({ title }: Record<string, unknown>): string | undefined {
  const isMadeUp =
    /^(?:\(?(?:untitled|anonymous|unspecified|title|document)\d*\)?|microsoft (?:word|powerpoint|excel) - .*|.*\.(?:docx?|pptx?|xlsx?|tex|dvi|indd|qxd|pdf))$/i;
  return typeof title === "string" && !isMadeUp.test(title) ? title : undefined;
}

function asExtractionError(error: unknown, name: string): ExtractionError {
  if (error instanceof ExtractionError) return error;
  if (error instanceof Error && error.name === "PasswordException") {
    return damaged(name, "it is protected with a password. Remove the password and upload it again", error);
  }
  return damaged(name, "it is not a valid PDF, or is damaged. Open it, save it again and upload that", error);
}
