import { cleanTitle } from "../document_title.ts";
import { damaged, noText } from "../failures.ts";
import { checkHtml } from "../html_limits.ts";
import { htmlToMarkdown, LEVEL_ATTRIBUTE } from "../html_to_markdown.ts";
import { type HtmlDocument, type HtmlElement, measureTree, parseHtml } from "../html_tree.ts";
import { checkLength, normalizeText } from "../normalize.ts";
import type { ExtractedText, SourceFile } from "../types.ts";
import { readText } from "./plain_text.ts";

/** What is around a page's text: scripts, styles, navigation. */
const AROUND = "script, style, noscript, template, iframe, svg, nav, footer, form, dialog, [hidden], " +
  "[aria-hidden=true], [role=navigation], [role=search], [role=banner], [role=contentinfo]";
/** Nesting beyond which a page is not converted, nor its article looked for: their time grows with its square and cube. */
const MAX_DEPTH = 500;
const MAX_ARTICLE_DEPTH = 100;
/** Elements beyond which the article is not looked for. */
const MAX_ARTICLE_ELEMENTS = 50_000;
/** Share of a page's words that its article must have to stand for the page. */
const ARTICLE_SHARE = 0.5;

/** An HTML page as Markdown: its main article where there is one, else everything but scripts, styles and navigation. */
export async function extractHtml(file: SourceFile, name: string): Promise<ExtractedText> {
  const source = await readText(file, name);
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
      "the page has none without its scripts and navigation",
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
  for (const element of page.querySelectorAll(AROUND)) element.remove();
  const { elements, depth } = measureTree(page.body, MAX_DEPTH);
  if (depth > MAX_DEPTH) throw new RangeError(`more than ${MAX_DEPTH} elements inside each other`);
  if (depth > MAX_ARTICLE_DEPTH || elements > MAX_ARTICLE_ELEMENTS) return page.body;
  const words = wordChars(page.body);
  // An article comes back with its first level renamed to the second.
  for (const h1 of page.querySelectorAll("h1")) h1.setAttribute(LEVEL_ATTRIBUTE, "1");
  const { Readability } = await import("@mozilla/readability");
  let article: HtmlElement | undefined;
  try {
    // It rearranges the page while it searches.
    const copy = page.cloneNode(true) as unknown as ConstructorParameters<typeof Readability>[0];
    article = new Readability<HtmlElement>(copy, {
      serializer: (node) => node as unknown as HtmlElement,
    }).parse()?.content ?? undefined;
  } catch {
    // A page that it cannot cope with: there is still the whole of it.
  }
  return article && wordChars(article) >= words * ARTICLE_SHARE ? article : page.body;
}

function wordChars(element: HtmlElement): number {
  return (element.textContent ?? "").replace(/\s+/g, "").length;
}
