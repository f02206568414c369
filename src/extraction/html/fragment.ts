import { MAX_HTML_DEPTH } from "../limits.ts";
import { checkHtml } from "./check_html.ts";
import { htmlToMarkdown } from "./to_markdown.ts";
import { measureTree, parseHtml } from "./tree.ts";

/**
 * Converts HTML inside of another format, such as an item of a feed, to Markdown. Returns the source if it is nested
 * too deeply.
 *
 * @throws {ExtractionError} `too_large`.
 */
export function fragmentToMarkdown(html: string, name: string): string {
  checkHtml(html, name);
  const { body } = parseHtml(html);
  if (measureTree(body, MAX_HTML_DEPTH).depth > MAX_HTML_DEPTH) return html;
  return htmlToMarkdown(body).trim();
}
