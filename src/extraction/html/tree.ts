import { Parser } from "htmlparser2";
import { MAX_HTML_SPACES } from "../limits.ts";
import { HtmlDocument, type HtmlElement } from "./element.ts";
import { COMMENT, DOCTYPE, following, HtmlLeaf, type HtmlNode, type HtmlParent, TEXT } from "./node.ts";

/** Parses a page or a fragment of HTML, without running scripts or loading resources. */
export function parseHtml(html: string): HtmlDocument {
  let document = /<body[\s>]/i.test(html) ? parse(html) : undefined;
  // HTML lets authors omit the tags of head and body. Inside another body, those of the source become plain
  // elements.
  if (!document?.documentElement || !document.body.firstChild) {
    document = parse(`<!doctype html><html><head></head><body>${html}</body></html>`);
  }
  return document;
}

function parse(html: string): HtmlDocument {
  const document = new HtmlDocument();
  let parent: HtmlParent = document;
  const parser = new Parser({
    onprocessinginstruction(name, data) {
      if (name.toLowerCase() !== "!doctype" || document.firstChild?.nodeType === DOCTYPE) return;
      document.insertBefore(new HtmlLeaf(DOCTYPE, data), document.firstChild);
    },
    onopentag(name, attributes) {
      const element = parent.appendChild(document.createElement(name));
      for (const attribute of Object.keys(attributes)) {
        element.setAttribute(attribute, attributes[attribute]!);
      }
      parent = element;
    },
    onclosetag() {
      parent = parent.parentNode!;
    },
    ontext(text) {
      const { lastChild: last } = parent;
      // The parser reports the text before and after an entity separately.
      if (last?.nodeType === TEXT) (last as HtmlLeaf).data += text;
      else parent.appendChild(new HtmlLeaf(TEXT, text));
    },
    oncomment(text) {
      parent.appendChild(new HtmlLeaf(COMMENT, text));
    },
  }, { lowerCaseAttributeNames: false, decodeEntities: true });
  parser.end(html);
  truncateSpaces(document);
  return document;
}

/** A long run of white space. Its start is captured. The lookbehind keeps the search linear: no run is read twice. */
const LONG_SPACES = new RegExp(`(?<!\\s)(\\s{${MAX_HTML_SPACES}})\\s+`, "g");

/** Truncates long runs of white space, for which the regular expressions of the converter need quadratic time. */
function truncateSpaces(document: HtmlDocument): void {
  for (let node: HtmlNode | null = document.firstChild; node; node = following(node, document)) {
    if (node.nodeType !== TEXT) continue;
    const text = node as HtmlLeaf;
    if (text.data.length <= MAX_HTML_SPACES) continue;
    text.data = text.data.replace(LONG_SPACES, "$1");
  }
}

/** Counts the elements and the depth of a tree. Stops below `maxDepth`. */
export function measureTree(root: HtmlElement, maxDepth: number): { elements: number; depth: number } {
  let elements = 0;
  let depth = 0;
  // Level by level instead of recursively: a deep tree would overflow the stack.
  for (let level: HtmlParent[] = [root]; level.length > 0 && depth <= maxDepth; depth++) {
    const next: HtmlParent[] = [];
    for (const element of level) for (const child of element.children) next.push(child);
    elements += level.length;
    level = next;
  }
  return { elements, depth };
}
