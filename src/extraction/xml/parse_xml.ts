import { Parser } from "htmlparser2";
import { tooLarge } from "../errors.ts";
import { MAX_XML_DEPTH, MAX_XML_ELEMENTS } from "../limits.ts";
import { localName, XmlElement } from "./element.ts";
import { tooDeep } from "./read_xml.ts";

/**
 * Parses the XML of any vocabulary, leniently: unclosed elements end with their parent. Names of elements have no
 * prefixes. Entities that a DTD declares are not expanded, and nothing is loaded.
 *
 * @returns The root, or `undefined` for text without an element.
 * @throws {ExtractionError} `too_large` for too many or too deeply nested elements.
 */
export function parseXml(source: string, name: string): XmlElement | undefined {
  const document = new XmlElement("", {});
  const open = [document];
  let elements = 0;
  const parser = new Parser({
    onopentag(tag, attributes) {
      if (++elements > MAX_XML_ELEMENTS) {
        throw tooLarge(name, `its XML has more than ${MAX_XML_ELEMENTS.toLocaleString("en")} elements`);
      }
      const element = new XmlElement(localName(tag), attributes);
      open.at(-1)!.children.push(element);
      open.push(element);
      if (open.length > MAX_XML_DEPTH) {
        throw tooDeep(name);
      }
    },
    onclosetag() {
      open.pop();
    },
    ontext(text) {
      open.at(-1)!.addText(text);
    },
  }, { xmlMode: true });
  parser.write(source);
  parser.end();
  return document.elements[0];
}
