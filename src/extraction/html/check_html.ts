import { type ExtractionError, tooLarge } from "../errors.ts";
import { MAX_HTML_ATTRIBUTES, MAX_HTML_OPEN, MAX_HTML_TAGS } from "../limits.ts";
import { isSpace, skipSpace } from "../whitespace.ts";

/** Elements without content. */
const VOID_ELEMENTS = new Set(
  "area base br col command embed hr img input keygen link meta param source track wbr".split(" "),
);
/** Elements whose content is raw text. */
const RAW_TEXT_ELEMENTS = new Set(["script", "style", "title", "textarea"]);
/**
 * For elements with an optional end tag: the start tags that close them implicitly (HTML standard §13.1.2.4).
 */
const CLOSED_BY: Readonly<Record<string, RegExp>> = {
  p: /^(?:p|address|article|aside|blockquote|div|dl|fieldset|footer|form|h[1-6]|header|hr|main|nav|ol|pre|section|table|ul)$/,
  li: /^li$/,
  dd: /^d[dt]$/,
  dt: /^d[dt]$/,
  td: /^(?:t[dhr]|tbody|tfoot)$/,
  th: /^(?:t[dhr]|tbody|tfoot)$/,
  tr: /^(?:tr|tbody|tfoot)$/,
  thead: /^(?:tbody|tfoot)$/,
  tbody: /^(?:tbody|tfoot)$/,
  option: /^opt(?:ion|group)$/,
  optgroup: /^optgroup$/,
};

/**
 * Checks HTML source against `limits.ts` before it is parsed: parser and converter need quadratic time for
 * nested elements and for the attributes of a tag. Reads each character a constant number of times.
 *
 * @throws {ExtractionError} `too_large`.
 */
export function checkHtml(html: string, name: string): void {
  const open: string[] = [];
  const counts = new Map<string, number>();
  const pop = () => {
    const last = open.pop();
    if (last !== undefined) counts.set(last, (counts.get(last) ?? 1) - 1);
  };
  let tags = 0;
  const tag = /<(?:(!--)|(\/?)([a-zA-Z][^\s\/>]*))/g;
  for (let found = tag.exec(html); found; found = tag.exec(html)) {
    if (++tags > MAX_HTML_TAGS) throw tooMany(name, MAX_HTML_TAGS, "tags");
    if (found[1]) {
      tag.lastIndex = offsetAfter(html, "-->", tag.lastIndex);
      continue;
    }
    const element = (found[3] ?? "").slice(0, 32).toLowerCase();
    const { end, count } = readAttributes(html, tag.lastIndex);
    if (count > MAX_HTML_ATTRIBUTES) throw tooMany(name, MAX_HTML_ATTRIBUTES, "attributes in one tag");
    tag.lastIndex = end;
    if (found[2]) {
      if (counts.get(element)) {
        while (open.at(-1) !== element) pop();
        pop();
      }
    } else if (RAW_TEXT_ELEMENTS.has(element)) {
      const close = new RegExp(`</${element}`, "gi");
      close.lastIndex = end;
      tag.lastIndex = close.exec(html)?.index ?? html.length;
    } else if (!VOID_ELEMENTS.has(element)) {
      while (CLOSED_BY[open.at(-1) ?? ""]?.test(element)) pop();
      open.push(element);
      counts.set(element, (counts.get(element) ?? 0) + 1);
      if (open.length > MAX_HTML_OPEN) throw tooMany(name, MAX_HTML_OPEN, "nested elements");
    }
  }
}

/**
 * Reads from the end of a tag name to the end of the tag, and counts attributes (HTML standard
 * §13.2.5.32–40).
 */
function readAttributes(html: string, at: number): { end: number; count: number } {
  let count = 0;
  while (at < html.length) {
    const char = html[at];
    if (char === ">") return { end: at + 1, count };
    if (char === "/" || isSpace(html.charCodeAt(at))) {
      at++;
      continue;
    }
    count++;
    at = tokenEnd(html, at + 1, "/>=");
    const value = skipSpace(html, at, html.length);
    if (html[value] !== "=") continue;
    at = skipSpace(html, value + 1, html.length);
    const quote = html[at];
    at = quote === '"' || quote === "'" ? offsetAfter(html, quote, at + 1) : tokenEnd(html, at, ">");
  }
  return { end: at, count };
}

function tokenEnd(html: string, at: number, ends: string): number {
  while (at < html.length && !isSpace(html.charCodeAt(at)) && !ends.includes(html[at]!)) at++;
  return at;
}

/** Returns the offset after the next occurrence of `terminator`, or the end of the source. */
function offsetAfter(html: string, terminator: string, from: number): number {
  const found = html.indexOf(terminator, from);
  return found < 0 ? html.length : found + terminator.length;
}

function tooMany(name: string, limit: number, items: string): ExtractionError {
  return tooLarge(name, `its HTML has more than ${limit.toLocaleString("en")} ${items}`);
}
