import { damaged, noText } from "../errors.ts";
import { checkHtml } from "../html/check_html.ts";
import { mainContent, removePermalinks, visibleContent } from "../html/main_content.ts";
import { type PageMetadata, pageMetadata } from "../html/page_metadata.ts";
import { htmlToMarkdown } from "../html/to_markdown.ts";
import { measureTree, parseHtml } from "../html/tree.ts";
import { MAX_HTML_DEPTH } from "../limits.ts";
import { normalizeText } from "../normalize.ts";
import { textDocument } from "../text_document.ts";
import { readText } from "../text_file.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";

/** Converts an HTML page to Markdown, without its scripts, hidden elements, navigation and menus. */
export async function extractHtml(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const { name } = context;
  const source = await readText(file, context);
  const { title, text, metadata } = convertHtml(source.text, {
    name,
    filename: file.filename,
    findsMainContent: true,
  });
  if (text.trim() === "") {
    throw noText(
      name,
      "the page is empty without its scripts and navigation",
      "save the page as it is displayed, or as PDF",
    );
  }
  return textDocument({ docType: "html", title, text, markup: "markdown", metadata }, source);
}

/** Options of {@linkcode convertHtml}. */
export interface ConvertHtmlOptions {
  /** Name of the file for error messages. */
  readonly name: string;
  /** Name of the file, which is no title. */
  readonly filename?: string | undefined;
  /** Whether navigation and menus are left out. @default {false} */
  readonly findsMainContent?: boolean;
}

/**
 * Converts HTML to Markdown, without its scripts and hidden elements.
 *
 * @throws {ExtractionError} `too_large` or `damaged`.
 */
export function convertHtml(
  source: string,
  { name, filename, findsMainContent = false }: ConvertHtmlOptions,
): PageMetadata & { readonly text: string } {
  checkHtml(source, name);
  try {
    const page = parseHtml(source);
    removePermalinks(page);
    const fields = pageMetadata(page, filename);
    const content = findsMainContent ? mainContent(page) : visibleContent(page);
    if (measureTree(content, MAX_HTML_DEPTH).depth > MAX_HTML_DEPTH) {
      throw new RangeError(`elements must be nested at most ${MAX_HTML_DEPTH} deep`);
    }
    return { ...fields, text: normalizeText(htmlToMarkdown(content)) };
  } catch (error) {
    throw damaged(name, "its HTML is nested too deeply, or damaged", error);
  }
}
