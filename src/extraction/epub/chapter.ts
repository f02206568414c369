import { checkHtml } from "../html/check_html.ts";
import type { HtmlElement } from "../html/element.ts";
import { htmlToMarkdown } from "../html/to_markdown.ts";
import { measureTree, parseHtml } from "../html/tree.ts";
import { MAX_HTML_DEPTH } from "../limits.ts";
import { xmlEncoding } from "../xml/encoding.ts";

/**
 * Converts a chapter to Markdown, without navigation.
 *
 * @param title Title in the table of contents; it becomes the heading of a chapter without one.
 * @param name Name of the e-book, for errors.
 * @throws {ExtractionError} `too_large`.
 * @throws {RangeError} If the elements are nested too deeply.
 */
export function chapterMarkdown(
  source: Uint8Array,
  { title, name }: { title: string | undefined; name: string },
): string {
  const xhtml = new TextDecoder(xmlEncoding(source)).decode(source);
  // In HTML the slash means nothing: an empty title would take the rest of the chapter.
  const html = xhtml.replace(/<([a-zA-Z][\w:-]*)((?:\s[^<>]*)?)\/>/g, "<$1$2></$1>");
  checkHtml(html, name);
  const page = parseHtml(html);
  for (const navigation of page.getElementsByTagName("nav") as HtmlElement[]) navigation.remove();
  if (measureTree(page.body, MAX_HTML_DEPTH).depth > MAX_HTML_DEPTH) {
    throw new RangeError(`elements must be nested at most ${MAX_HTML_DEPTH} deep`);
  }
  const markdown = htmlToMarkdown(page.body);
  if (title === undefined || markdown.trim() === "" || /^#{1,6} /m.test(markdown)) return markdown;
  const [firstLine = "", ...rest] = markdown.split("\n");
  const isTitle = firstLine.replace(/[*_`]/g, "").trim().toLowerCase() === title.toLowerCase();
  return `# ${title}\n\n${isTitle ? rest.join("\n").trimStart() : markdown}`;
}
