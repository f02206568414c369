/** The parts of the DOM that are used here; linkedom's own types are those of a browser. */
export interface HtmlElement {
  readonly nodeName: string;
  readonly parentNode: HtmlElement | null;
  readonly childNodes: Iterable<HtmlElement>;
  readonly textContent: string | null;
  querySelector(selector: string): HtmlElement | null;
  querySelectorAll(selector: string): Iterable<HtmlElement>;
  getAttribute(name: string): string | null;
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
  return (parseHTML(page) as unknown as { document: HtmlDocument }).document;
}
