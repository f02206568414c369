import { MAX_HTML_SPACES } from "../limits.ts";

/** `Node.TEXT_NODE`. */
const TEXT = 3;

/** The subset of the DOM that is used here; the types of linkedom require the DOM library. */
export interface HtmlElement {
  readonly nodeName: string;
  readonly parentNode: HtmlElement | null;
  readonly childNodes: Iterable<HtmlElement>;
  readonly children: Iterable<HtmlElement>;
  readonly nodeType: number;
  textContent: string | null;
  querySelector(selector: string): HtmlElement | null;
  querySelectorAll(selector: string): Iterable<HtmlElement>;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  remove(): void;
}

/** A parsed page. */
export interface HtmlDocument extends HtmlElement {
  readonly documentElement: HtmlElement | null;
  readonly body: HtmlElement;
  cloneNode(deep: boolean): HtmlDocument;
}

/** Parses a page or a fragment of HTML, without running scripts or loading resources. */
export async function parseHtml(html: string): Promise<HtmlDocument> {
  // The worker build: the Node build loads the native canvas package if it is installed.
  const { parseHTML } = await import("linkedom/worker");
  const parse = (page: string) => (parseHTML(page) as unknown as { document: HtmlDocument }).document;
  let document = /<body[\s>]/i.test(html) ? parse(html) : undefined;
  // linkedom finds a body only right after a head, a tag that HTML lets authors omit, and otherwise creates an
  // empty one. Inside another body, the tags of the source become plain elements.
  if (!document?.documentElement || [...document.body.childNodes].length === 0) {
    document = parse(`<!doctype html><html><head></head><body>${html}</body></html>`);
  }
  mergeTextNodes(document);
  return document;
}

/**
 * Merges adjacent text nodes (linkedom starts a new one at every entity) and truncates long runs of white
 * space, for which the regular expressions of the converter need quadratic time.
 */
function mergeTextNodes(root: HtmlElement): void {
  const parents = [root];
  for (let parent = parents.pop(); parent; parent = parents.pop()) {
    let run: HtmlElement[] = [];
    const mergeRun = () => {
      const text = run.map((node) => node.textContent).join("");
      for (const node of run.slice(1)) node.remove();
      if (run[0]) run[0].textContent = text.replace(/\s+/g, (spaces) => spaces.slice(0, MAX_HTML_SPACES));
      run = [];
    };
    for (const node of [...parent.childNodes]) {
      if (node.nodeType === TEXT) {
        run.push(node);
      } else {
        mergeRun();
        parents.push(node);
      }
    }
    mergeRun();
  }
}

/** Counts the elements and the depth of a tree. Stops below `maxDepth`. */
export function measureTree(root: HtmlElement, maxDepth: number): { elements: number; depth: number } {
  let elements = 0;
  let depth = 0;
  // Level by level instead of recursively: a deep tree would overflow the stack.
  for (let level = [root]; level.length > 0 && depth <= maxDepth; depth++) {
    const next: HtmlElement[] = [];
    for (const element of level) for (const child of element.children) next.push(child);
    elements += level.length;
    level = next;
  }
  return { elements, depth };
}
