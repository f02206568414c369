import type { XmlElement } from "../xml/element.ts";

/**
 * Returns the branch of `mc:AlternateContent` (ECMA-376 part 3 §7.5) with content: the choice for newer programs, or the
 * fallback. Both have the same text.
 */
export function alternative(element: XmlElement): XmlElement {
  return element.elements.find(({ name, children }) => name === "mc:Choice" && children.length > 0) ??
    element.child("mc:Fallback") ?? element;
}
