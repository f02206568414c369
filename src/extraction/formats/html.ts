import { damaged, noText } from "../errors.ts";
import { checkHtml } from "../html/check_html.ts";
import { htmlToMarkdown, LEVEL_ATTRIBUTE } from "../html/to_markdown.ts";
import { type HtmlDocument, type HtmlElement, measureTree, parseHtml } from "../html/tree.ts";
import { checkLength, normalizeText } from "../normalize.ts";
import { readTextFile } from "../text_file.ts";
import { cleanTitle } from "../title.ts";
import type { ExtractedText, SourceFile } from "../types.ts";

/** Elements that are not part of the text: scripts, styles, navigation, forms. */
const BOILERPLATE = "script, style, noscript, template, iframe, svg, nav, footer, form, dialog, [hidden], " +
  "[aria-hidden=true], [role=navigation], [role=search], [role=banner], [role=contentinfo]";
/** Maximum depth of a page. The converter needs quadratic time for nested elements. */
const MAX_DEPTH = 500;
/** Maximum depth of a page whose article is extracted. Readability needs cubic time for nested elements. */
const MAX_ARTICLE_DEPTH = 100;
/** Maximum number of elements of a page whose article is extracted. */
const MAX_ARTICLE_ELEMENTS = 50_000;
/** Minimum share of the page's characters that an article must have to replace the page. */
const MIN_ARTICLE_SHARE = 0.5;

/**
 * Converts the main article of an HTML page to Markdown; without one, the whole page except its boilerplate.
 */
export async function extractHtml(file: SourceFile, name: string): Promise<ExtractedText> {
  const source = await readTextFile(file, name);
  checkHtml(source, name);
  let title: string | undefined;
  let text: string;
  try {
    const page = await parseHtml(source);
    title = cleanTitle(page.querySelector("title")?.textContent) ??
      cleanTitle(page.querySelector("h1")?.textContent);
    text = normalizeText(await htmlToMarkdown(await mainContent(page)));
  } catch (error) {
    throw damaged(name, "its HTML is nested too deeply, or damaged", error);
  }
  checkLength(text.length, name);
  if (text.trim() === "") {
    throw noText(
      name,
      "the page is empty without its scripts and navigation",
      "save the page as it is displayed, or as PDF",
    );
  }
  return {
    docType: "html",
    title,
    text,
    markup: "markdown",
    pageStarts: undefined,
    metadata: undefined,
    tags: [],
  };
}

async function mainContent(page: HtmlDocument): Promise<HtmlElement> {
  for (const element of page.querySelectorAll(BOILERPLATE)) element.remove();
  const { elements, depth } = measureTree(page.body, MAX_DEPTH);
  if (depth > MAX_DEPTH) throw new RangeError(`elements must be nested at most ${MAX_DEPTH} deep`);
  if (depth > MAX_ARTICLE_DEPTH || elements > MAX_ARTICLE_ELEMENTS) return page.body;
  const pageChars = countChars(page.body);
  // Readability renames h1 to h2.
  for (const h1 of page.querySelectorAll("h1")) h1.setAttribute(LEVEL_ATTRIBUTE, "1");
  const { Readability } = await import("@mozilla/readability");
  let article: HtmlElement | undefined;
  try {
    // Readability modifies the document.
    const copy = page.cloneNode(true) as unknown as ConstructorParameters<typeof Readability>[0];
    article = new Readability<HtmlElement>(copy, {
      serializer: (node) => node as unknown as HtmlElement,
    }).parse()?.content ?? undefined;
  } catch {
    // Readability fails on some pages: the whole page is used instead.
  }
  return article && countChars(article) >= pageChars * MIN_ARTICLE_SHARE ? article : page.body;
}

/** Counts the characters of an element's text that are not white space. */
function countChars(element: HtmlElement): number {
  return (element.textContent ?? "").replace(/\s+/g, "").length;
}
