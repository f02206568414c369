import { DOCUMENT, ELEMENT, HtmlLeaf, HtmlParent, TEXT } from "./node.ts";

/** An attribute of an element. */
export class HtmlAttribute {
  constructor(readonly name: string, public value: string) {}

  cloneNode(): HtmlAttribute {
    return new HtmlAttribute(this.name, this.value);
  }
}

/** An element of a page. */
export class HtmlElement extends HtmlParent {
  readonly tagName: string;
  #attributes: HtmlAttribute[] | undefined;

  constructor(readonly ownerDocument: HtmlDocument, localName: string) {
    const tagName = localName.toUpperCase();
    super(ELEMENT, tagName, localName);
    this.tagName = tagName;
  }

  get attributes(): HtmlAttribute[] {
    return this.#attributes ? [...this.#attributes] : [];
  }

  getAttribute(name: string): string | null {
    const attribute = this.#find(name);
    return attribute ? attribute.value : name === "class" ? "" : null;
  }

  hasAttribute(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  setAttribute(name: string, value: string): void {
    this.setAttributeNode(new HtmlAttribute(name, value));
  }

  setAttributeNode(attribute: HtmlAttribute): void {
    const { name } = attribute;
    if (name === "class") attribute.value = [...new Set(attribute.value.match(/\S+/g))].join(" ");
    const existing = this.#find(name);
    if (existing) existing.value = attribute.value;
    else (this.#attributes ??= []).push(attribute);
  }

  removeAttribute(name: string): void {
    if (this.#attributes && this.hasAttribute(name)) {
      this.#attributes = this.#attributes.filter((attribute) => attribute.name !== name);
    }
  }

  get id(): string {
    return this.getAttribute("id") ?? "";
  }

  set id(value: string) {
    this.setAttribute("id", value);
  }

  get className(): string {
    return this.getAttribute("class") ?? "";
  }

  set className(value: string) {
    this.setAttribute("class", value);
  }

  copy(): HtmlElement {
    const copy = new HtmlElement(this.ownerDocument, this.localName);
    if (this.#attributes) copy.#attributes = this.#attributes.map((attribute) => attribute.cloneNode());
    return copy;
  }

  #find(name: string): HtmlAttribute | undefined {
    if (this.#attributes) {
      for (const attribute of this.#attributes) if (attribute.name === name) return attribute;
    }
    return undefined;
  }
}

/** A page. */
export class HtmlDocument extends HtmlParent {
  /** Relative links are resolved, and not used: the text of a page has no addresses. */
  readonly baseURI = "https://page.invalid/";
  readonly documentURI = this.baseURI;

  constructor() {
    super(DOCUMENT, "#document", "");
  }

  get documentElement(): HtmlElement | null {
    return this.firstElementChild as HtmlElement | null;
  }

  /** The head; it is created if the page has none. */
  get head(): HtmlElement {
    const root = this.documentElement ?? this.appendChild(this.createElement("html"));
    const first = root.firstElementChild as HtmlElement | null;
    return first?.tagName === "HEAD" ? first : root.insertBefore(this.createElement("head"), root.firstChild);
  }

  /** The body; it is created if none follows the head. */
  get body(): HtmlElement {
    const { head } = this;
    const next = head.nextElementSibling as HtmlElement | null;
    return next?.tagName === "BODY"
      ? next
      : head.parentNode!.insertBefore(this.createElement("body"), head.nextSibling);
  }

  get title(): string {
    return this.head.getElementsByTagName("title")[0]?.textContent ?? "";
  }

  createElement(name: string): HtmlElement {
    return new HtmlElement(this, name.toLowerCase());
  }

  createTextNode(text: string): HtmlLeaf {
    return new HtmlLeaf(TEXT, text);
  }

  copy(): HtmlDocument {
    return new HtmlDocument();
  }
}
