import { damaged, noText } from "../errors.ts";
import { checkHtml } from "../html/check_html.ts";
import type { HtmlDocument, HtmlElement } from "../html/element.ts";
import { LEVEL_ATTRIBUTE } from "../html/markdown_parts.ts";
import { ELEMENT, following, followingSubtree, type HtmlNode } from "../html/node.ts";
import { htmlToMarkdown } from "../html/to_markdown.ts";
import { measureTree, parseHtml } from "../html/tree.ts";
import { checkLength, normalizeText } from "../normalize.ts";
import { readText } from "../text_file.ts";
import { cleanTitle } from "../title.ts";
import type { ExtractedText, ExtractionContext, SourceFile } from "../types.ts";

/** Elements that are not part of the text: scripts, styles, navigation, forms. */
const BOILERPLATE = new Set("script style noscript template iframe svg nav footer form dialog".split(" "));
/** Roles of elements that are not part of the text. */
const BOILERPLATE_ROLES = new Set(["navigation", "search", "banner", "contentinfo"]);
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
export async function extractHtml(file: SourceFile, context: ExtractionContext): Promise<ExtractedText> {
  const { name } = context;
  const { text: source, metadata, warnings } = await readText(file, context);
  const { title, text } = await convertHtml(source, { name, findsArticle: true });
  checkLength(text.length, context);
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
    metadata,
    warnings,
    tags: [],
  };
}

/** Options of {@linkcode convertHtml}. */
export interface ConvertHtmlOptions {
  /** Name of the file for error messages. */
  readonly name: string;
  /** Whether only the main article is converted, if there is one. @default {false} */
  readonly findsArticle?: boolean;
}

/**
 * Converts HTML to Markdown without its boilerplate.
 *
 * @throws {ExtractionError} `too_large` or `damaged`.
 */
export async function convertHtml(
  source: string,
  { name, findsArticle = false }: ConvertHtmlOptions,
): Promise<{ title: string | undefined; text: string }> {
  checkHtml(source, name);
  try {
    const page = parseHtml(source);
    const title = cleanTitle(page.getElementsByTagName("title")[0]?.textContent) ??
      cleanTitle(page.getElementsByTagName("h1")[0]?.textContent);
    return { title, text: normalizeText(htmlToMarkdown(await mainContent(page, findsArticle))) };
  } catch (error) {
    throw damaged(name, "its HTML is nested too deeply, or damaged", error);
  }
}

async function mainContent(page: HtmlDocument, findsArticle: boolean): Promise<HtmlElement> {
  removeBoilerplate(page);
  const { elements, depth } = measureTree(page.body, MAX_DEPTH);
  if (depth > MAX_DEPTH) throw new RangeError(`elements must be nested at most ${MAX_DEPTH} deep`);
  if (!findsArticle || depth > MAX_ARTICLE_DEPTH || elements > MAX_ARTICLE_ELEMENTS) return page.body;
  const pageChars = countChars(page.body);
  // Readability renames h1 to h2.
  for (const h1 of page.getElementsByTagName("h1") as HtmlElement[]) h1.setAttribute(LEVEL_ATTRIBUTE, "1");
  const { Readability } = await import("@mozilla/readability");
  let article: HtmlElement | undefined;
  try {
    // Readability modifies the document.
    const copy = page.cloneNode() as unknown as ConstructorParameters<typeof Readability>[0];
    article = new Readability<HtmlElement>(copy, {
      serializer: (node) => node as unknown as HtmlElement,
    }).parse()?.content ?? undefined;
  } catch {
    // Readability fails on some pages: the whole page is used instead.
  }
  return article && countChars(article) >= pageChars * MIN_ARTICLE_SHARE ? article : page.body;
}

function removeBoilerplate(page: HtmlDocument): void {
  for (let node: HtmlNode | null = page.firstChild, next; node; node = next) {
    const isRemoved = node.nodeType === ELEMENT && isBoilerplate(node as HtmlElement);
    next = isRemoved ? followingSubtree(node, page) : following(node, page);
    if (isRemoved) node.remove();
  }
}

function isBoilerplate(element: HtmlElement): boolean {
  return BOILERPLATE.has(element.localName) || element.hasAttribute("hidden") ||
    element.getAttribute("aria-hidden") === "true" ||
    BOILERPLATE_ROLES.has(element.getAttribute("role") ?? "");
}

/** Counts the characters of an element's text that are not white space. */
function countChars(element: HtmlElement): number {
  return element.textContent.replace(/\s+/g, "").length;
}
