import { oneLine } from "../whitespace.ts";

/** A node of an XML tree: an element or text. */
export type XmlNode = XmlElement | string;

/** An element of an XML tree. The reader decides which prefixes its names have. */
export class XmlElement {
  readonly children: XmlNode[] = [];

  constructor(readonly name: string, readonly attributes: Readonly<Record<string, string>>) {}

  /** Returns the value of an attribute. */
  get(attribute: string): string | undefined {
    return Object.hasOwn(this.attributes, attribute) ? this.attributes[attribute] : undefined;
  }

  /** Adds text. Parsers report the text before and after an entity separately. */
  addText(text: string): void {
    const last = this.children.length - 1;
    if (typeof this.children[last] === "string") this.children[last] += text;
    else this.children.push(text);
  }

  /** The children that are elements. */
  get elements(): XmlElement[] {
    return this.children.filter((child) => typeof child !== "string");
  }

  /** Returns the first child element with one of these names. */
  child(...names: string[]): XmlElement | undefined {
    for (const child of this.children) {
      if (typeof child !== "string" && names.includes(child.name)) return child;
    }
    return undefined;
  }

  /** Returns the child elements with one of these names. */
  childrenNamed(...names: string[]): XmlElement[] {
    return this.elements.filter(({ name }) => names.includes(name));
  }

  /** Follows a path of child elements. */
  path(first: string, ...rest: string[]): XmlElement | undefined {
    return rest.reduce<XmlElement | undefined>((element, name) => element?.child(name), this.child(first));
  }

  /** Returns all elements below this one with one of these names, in document order. */
  descendants(...names: string[]): XmlElement[] {
    const found: XmlElement[] = [];
    const pending: XmlNode[] = this.children.toReversed();
    while (pending.length > 0) {
      const node = pending.pop()!;
      if (typeof node === "string") continue;
      if (names.includes(node.name)) found.push(node);
      for (let i = node.children.length - 1; i >= 0; i--) pending.push(node.children[i]!);
    }
    return found;
  }

  /** The text of all nodes below this one. */
  get text(): string {
    let text = "";
    const pending: XmlNode[] = this.children.toReversed();
    while (pending.length > 0) {
      const node = pending.pop()!;
      if (typeof node === "string") text += node;
      else for (let i = node.children.length - 1; i >= 0; i--) pending.push(node.children[i]!);
    }
    return text;
  }
}

/** Returns a name without its prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** Returns the text of an element on one line; empty without an element. */
export function textOf(element: XmlElement | undefined): string {
  return oneLine(element?.text ?? "");
}
