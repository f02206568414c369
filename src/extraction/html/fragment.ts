import { checkHtml } from "./check_html.ts";
import { htmlToMarkdown } from "./to_markdown.ts";
import { measureTree, parseHtml } from "./tree.ts";

/** Maximum depth of a fragment. The converter needs quadratic time for nested elements. */
const MAX_DEPTH = 500;

/**
 * Converts HTML inside of another format, such as an item of a feed, to Markdown. Returns the source if it is nested
 * too deeply.
 *
 * @throws {ExtractionError} `too_large`.
 */
export function fragmentToMarkdown(html: string, name: string): string {
  checkHtml(html, name);
  const { body } = parseHtml(html);
  if (measureTree(body, MAX_DEPTH).depth > MAX_DEPTH) return html;
  return htmlToMarkdown(body).trim();
}
