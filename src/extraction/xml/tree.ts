import { Parser } from "htmlparser2";
import { tooLarge } from "../errors.ts";
import { MAX_XML_DEPTH, MAX_XML_ELEMENTS } from "../limits.ts";

/** An element of an XML document. Names have no prefixes. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: (XmlElement | string)[];
}

/**
 * Parses XML leniently: unclosed elements end with their parent. Entities that a DTD declares are not expanded, and
 * nothing is loaded.
 *
 * @throws {ExtractionError} `too_large` for too many or too deeply nested elements.
 */
export function parseXml(source: string, name: string): XmlElement | undefined {
  const root: XmlElement = { name: "", attributes: {}, children: [] };
  const open: XmlElement[] = [root];
  let elements = 0;
  const parser = new Parser({
    onopentag(tag, attributes) {
      if (++elements > MAX_XML_ELEMENTS) {
        throw tooLarge(name, `its XML has more than ${MAX_XML_ELEMENTS.toLocaleString("en")} elements`);
      }
      const element = { name: localName(tag), attributes, children: [] };
      open.at(-1)!.children.push(element);
      open.push(element);
      if (open.length > MAX_XML_DEPTH) {
        throw tooLarge(name, `its XML has elements nested over ${MAX_XML_DEPTH} deep`);
      }
    },
    onclosetag() {
      open.pop();
    },
    ontext(text) {
      const { children } = open.at(-1)!;
      const last = children.length - 1;
      // The parser reports the text before and after an entity separately.
      if (typeof children[last] === "string") children[last] += text;
      else children.push(text);
    },
  }, { xmlMode: true });
  parser.write(source);
  parser.end();
  return elementsOf(root)[0];
}

/** Returns a name without its prefix. */
export function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** Returns the child elements, or those with one of some names. */
export function elementsOf({ children }: XmlElement, ...names: readonly string[]): XmlElement[] {
  return children.filter((child): child is XmlElement =>
    typeof child !== "string" && (names.length === 0 || names.includes(child.name))
  );
}

/** Returns the text of an element with one space for white space; empty without an element. */
export function textOf(element: XmlElement | undefined): string {
  return rawTextOf(element).replace(/\s+/g, " ").trim();
}

/** Returns the text of an element as it is. */
export function rawTextOf(element: XmlElement | undefined): string {
  if (!element) return "";
  const parts: string[] = [];
  const append = ({ children }: XmlElement) => {
    for (const child of children) {
      if (typeof child === "string") parts.push(child);
      else append(child);
    }
  };
  append(element);
  return parts.join("");
}
