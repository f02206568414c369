import { damaged, ExtractionError, noText } from "../errors.ts";
import { MAX_BAD_PAGES } from "../limits.ts";
import { ocrWarning } from "../ocr/warning.ts";
import type { TextRun } from "../pdf/page.ts";
import { PageOcr } from "../pdf/page_ocr.ts";
import { PageReader } from "../pdf/page_reader.ts";
import { namePages, type PageIssues, pageWarnings } from "../pdf/page_warnings.ts";
import { readLanguage, toMetadata } from "../pdf/properties.ts";
import { PdfText } from "../pdf/text.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";

/** Number of pages that are compared for running headers and for the sizes of headings; their runs are in memory. */
const WINDOW_PAGES = 64;
/** Number of pages between two reports of progress. */
const PROGRESS_PAGES = 16;

/** Extracts the text of a PDF as Markdown, page by page. The parsers may detach the file's bytes. */
export async function extractPdf(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const { name } = context;
  // PDF.js detaches the bytes.
  const language = readLanguage(file.bytes);
  await using reader = await openReader(file, name);
  const info = toMetadata(await reader.properties(), { filename: file.filename, language });
  const text = new PdfText(await reader.bookmarks(), context);
  const ocr = context.ocr && new PageOcr(context.ocr, reader);
  const issues = await readPages(reader, { text, ocr, context });
  const { markdown, pageStarts } = text.finish();
  if (markdown.trim() === "") throw withoutText(issues, { name, pageCount: reader.pageCount, hasOcr: !!ocr });
  const hasReadImages = ocr !== undefined && ocr.read.length > 0;
  const warnings = [
    ...(hasReadImages ? [ocrWarning(capitalize(namePages(ocr.read)), ocr.confidence)] : []),
    ...pageWarnings({ ...issues, skipped: ocr?.skipped ?? [] }),
  ];
  return {
    docType: "pdf",
    title: info.title as string | undefined ?? text.firstPageTitle(file.filename),
    text: markdown,
    markup: "markdown",
    pageStarts,
    metadata: { ...info, pages: reader.pageCount, ...(hasReadImages ? { ocr: ocr.metadata } : {}) },
    tags: [],
    ...(warnings.length === 0 ? {} : { warnings }),
  };
}

async function openReader(file: SourceFile, name: string): Promise<PageReader> {
  try {
    return await PageReader.open(file.bytes, name);
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    throw damaged(
      name,
      "it is not a valid PDF, or is damaged. Open it, save it again and upload that",
      error,
    );
  }
}

async function readPages(
  reader: PageReader,
  { text, ocr, context }: { text: PdfText; ocr: PageOcr | undefined; context: ExtractionContext },
): Promise<PageIssues> {
  const issues: PageIssues = { scanned: [], unreadable: [], partial: [], failed: [] };
  const total = reader.pageCount;
  let pages: (readonly TextRun[])[] = [];
  for (let index = 0; index < total; index++) {
    const { page, state } = await reader.read(index);
    const isReadable = state === "readable" || state === "partial";
    const hasText = isReadable && !page.isPicture;
    const drawn = hasText || state === "failed" ? undefined : await ocr?.readPage(index);
    if (state === "failed") {
      issues.failed.push(index + 1);
      // One bad page must not fail the document, and a false page count of a billion must not take forever.
      if (issues.failed.length > MAX_BAD_PAGES || issues.failed.length === total) {
        throw damaged(context.name, "its pages are damaged. Open it, save it again and upload that");
      }
    } else if (!drawn && state === "unreadable") issues.unreadable.push(index + 1);
    else if (state === "partial") issues.partial.push(index + 1);
    else if (!drawn && page.isPicture) issues.scanned.push(index + 1);
    pages.push(drawn ?? (isReadable ? page.runs : []));
    if (pages.length === WINDOW_PAGES || index === total - 1) {
      text.add(pages);
      pages = [];
    }
    if (index % PROGRESS_PAGES === 0 || drawn) context.onProgress({ unit: "pages", done: index, total });
  }
  context.onProgress({ unit: "pages", done: total, total });
  return issues;
}

function withoutText(
  { unreadable, scanned }: PageIssues,
  { name, pageCount, hasOcr }: { name: string; pageCount: number; hasOcr: boolean },
): ExtractionError {
  const advice = hasOcr
    ? "upload a sharper scan, or install the language data of its language"
    : "run kb-mcp model install ocr-eng (or another language) and restart the server, or run OCR on it and upload " +
      "the result";
  if (unreadable.length > 0) {
    return new ExtractionError(
      "unreadable_text",
      `Cannot read ${name}: its fonts have no map from glyphs to characters, so programs cannot read its text. ` +
        `Upload the original document, or ${advice}`,
    );
  }
  if (scanned.length === 0) return noText(name, "its pages are empty", "upload a file with text");
  const pages = pageCount === 1 ? "its page is a picture" : `its ${pageCount} pages are pictures`;
  const reason = `it looks like a scan: ${pages} without text`;
  return noText(name, hasOcr ? `${reason}, and OCR has found no words` : reason, advice);
}

function capitalize(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1);
}
