import { oneLine } from "../../whitespace.ts";
import type { XmlElement } from "../../xml/element.ts";
import type { OoxmlPackage } from "../package.ts";
import { inlineText } from "./inline.ts";

/**
 * Returns the lines of the headers and footers of a section (`w:sectPr`), each once, without page numbers.
 *
 * @param path Path of the main part.
 */
export function headerLines(source: OoxmlPackage, path: string, section: XmlElement): string[] {
  const relationships = source.relationships(path);
  const lines = new Set<string>();
  for (const reference of section.elements) {
    if (reference.name !== "w:headerReference" && reference.name !== "w:footerReference") continue;
    const root = source.readOnce(relationships.get(reference.get("r:id") ?? "")?.target);
    for (const paragraph of root?.descendants("w:p") ?? []) {
      const { text, hasPageField } = inlineText(paragraph, NO_RECEIVER);
      const line = oneLine(text);
      // "Page of" and the like remain of a page number.
      if (/\p{L}{2}/u.test(line) && !(hasPageField && line.split(" ").length <= 3)) lines.add(line);
    }
  }
  return [...lines];
}

/** Text boxes of headers are paragraphs of their own, and notes cannot be in them. */
const NO_RECEIVER = { note: () => "", comment: () => {}, drawing: () => {} };
