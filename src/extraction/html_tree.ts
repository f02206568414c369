import { MAX_HTML_SPACES } from "./limits.ts";

/** `Node.TEXT_NODE`. */
const TEXT = 3;

/** The parts of the DOM that are used here; linkedom's own types are those of a browser. */
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
  readonly body: HtmlElement;
  cloneNode(deep: boolean): HtmlDocument;
}

/** Parses HTML, be it a page or a fragment of one. Nothing in it is run or loaded. */
export async function parseHtml(html: string): Promise<HtmlDocument> {
  // The build for workers: the one for Node loads a native canvas where it finds one.
  const { parseHTML } = await import("linkedom/worker");
  // The parser makes no body for what has none.
  const page = /<body[\s>]/i.test(html)
    ? html
    : `<!doctype html><html><head></head><body>${html}</body></html>`;
  const { document } = parseHTML(page) as unknown as { document: HtmlDocument };
  joinText(document);
  return document;
}

/**
 * Makes one text of those beside each other (the parser begins one at every entity), and cuts endless runs of white space
 * in it, which no reader sees and regular expressions of the converter take the square of.
 */
function joinText(root: HtmlElement): void {
  const parents = [root];
  for (let parent = parents.pop(); parent; parent = parents.pop()) {
    let run: HtmlElement[] = [];
    const join = () => {
      const text = run.map((one) => one.textContent).join("");
      for (const one of run.slice(1)) one.remove();
      if (run[0]) run[0].textContent = text.replace(/\s+/g, (spaces) => spaces.slice(0, MAX_HTML_SPACES));
      run = [];
    };
    for (const node of [...parent.childNodes]) {
      if (node.nodeType === TEXT) {
        run.push(node);
      } else {
        join();
        parents.push(node);
      }
    }
    join();
  }
}

/** How many elements there are in a tree, and how deeply they are nested; counting ends beyond `maxDepth`. */
export function measureTree(root: HtmlElement, maxDepth: number): { elements: number; depth: number } {
  let elements = 0;
  let depth = 0;
  // Level by level, without recursion: the depth is what may be too much for the stack.
  for (let level = [root]; level.length > 0 && depth <= maxDepth; depth++) {
    const next: HtmlElement[] = [];
    for (const element of level) for (const child of element.children) next.push(child);
    elements += level.length;
    level = next;
  }
  return { elements, depth };
}
