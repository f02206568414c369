import { damaged, ExtractionError, noText } from "../errors.ts";
import { MAX_BAD_PAGES } from "../limits.ts";
import { PageReader } from "../pdf/page_reader.ts";
import { type PageIssues, pageWarnings } from "../pdf/page_warnings.ts";
import { toMetadata } from "../pdf/properties.ts";
import { PdfText } from "../pdf/text.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";
import type { TextRun } from "../pdf/page.ts";

/** Number of pages that are compared for running headers and for the sizes of headings; their runs are in memory. */
const WINDOW_PAGES = 64;
/** Number of pages between two reports of progress. */
const PROGRESS_PAGES = 16;

/** Extracts the text of a PDF as Markdown, page by page. The parsers may detach the file's bytes. */
export async function extractPdf(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const { name } = context;
  try {
    await using reader = await PageReader.open(file.bytes, name);
    const info = toMetadata(await reader.properties(), file);
    const text = new PdfText(await reader.bookmarks(), context);
    const issues = await readPages(reader, text, context);
    const { markdown, pageStarts } = text.finish();
    if (markdown.trim() === "") throw withoutText(name, issues, reader.pageCount);
    const warnings = pageWarnings(issues);
    return {
      docType: "pdf",
      title: info.title as string | undefined ?? text.firstPageTitle(file.filename),
      text: markdown,
      markup: "markdown",
      pageStarts,
      metadata: { ...info, pages: reader.pageCount },
      tags: [],
      ...(warnings.length === 0 ? {} : { warnings }),
    };
  } catch (error) {
    if (error instanceof ExtractionError) throw error;
    throw damaged(
      name,
      "it is not a valid PDF, or is damaged. Open it, save it again and upload that",
      error,
    );
  }
}

async function readPages(reader: PageReader, text: PdfText, context: ExtractionContext): Promise<PageIssues> {
  const issues: PageIssues = { scanned: [], unreadable: [], failed: [] };
  const total = reader.pageCount;
  let pages: (readonly TextRun[])[] = [];
  for (let index = 0; index < total; index++) {
    const { page, state } = await reader.read(index);
    if (state === "failed") {
      issues.failed.push(index + 1);
      // One bad page must not fail the document, and a false page count of a billion must not take forever.
      if (issues.failed.length > MAX_BAD_PAGES || issues.failed.length === total) {
        throw new Error(`${issues.failed.length} pages cannot be read`);
      }
    }
    if (state === "unreadable") issues.unreadable.push(index + 1);
    if (page.isPicture) issues.scanned.push(index + 1);
    pages.push(state === "readable" ? page.runs : []);
    if (pages.length === WINDOW_PAGES || index === total - 1) {
      text.add(pages);
      pages = [];
    }
    if (index % PROGRESS_PAGES === 0) context.onProgress({ unit: "pages", done: index, total });
  }
  context.onProgress({ unit: "pages", done: total, total });
  return issues;
}

function withoutText(name: string, { unreadable, scanned }: PageIssues, pageCount: number): ExtractionError {
  if (unreadable.length > 0) {
    return new ExtractionError(
      "unreadable_text",
      `Cannot read ${name}: its fonts have no map from glyphs to characters, so programs cannot read its text. ` +
        "Upload the original document, or run OCR on it and upload the result",
    );
  }
  if (scanned.length === 0) return noText(name, "its pages are empty", "upload a file with text");
  const pages = pageCount === 1 ? "its page is a picture" : `its ${pageCount} pages are pictures`;
  return noText(
    name,
    `it looks like a scan: ${pages} without text`,
    "run OCR on it and upload the result",
  );
}
