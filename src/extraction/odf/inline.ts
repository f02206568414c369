import type { XmlElement } from "../xml/element.ts";

/** Receives what is not part of a paragraph's own text. */
export interface OdfInlineReceiver {
  /** Returns the mark of a footnote or endnote. */
  note(note: XmlElement): string;
  annotation(annotation: XmlElement): void;
  /** A frame or shape; returns its text if it belongs into the line, such as an equation. */
  shape(shape: XmlElement): string;
}

/** Elements without text of the document. */
const SKIPPED =
  /^(?:text:(?:tracked-changes|note-citation|hidden-text|.*-decls|script)|office:(?:forms|event-listeners)|form:.*)$/;

/** Returns the text of an OpenDocument paragraph or heading. */
export function odfText(parent: XmlElement, receiver: OdfInlineReceiver): string {
  let text = "";
  for (const child of parent.children) {
    // White space is collapsed like in HTML (ODF 1.3 part 3 §6.1.2).
    if (typeof child === "string") text += child.replace(/\s+/g, " ");
    else text += elementText(child, receiver);
  }
  return text;
}

function elementText(element: XmlElement, receiver: OdfInlineReceiver): string {
  switch (element.name) {
    case "text:s":
      return " ".repeat(Math.min(Number(element.get("text:c")) || 1, 200));
    case "text:tab":
    case "text:tab-stop":
      return "\t";
    case "text:line-break":
      return "\n";
    case "text:note":
    case "text:footnote":
    case "text:endnote":
      return receiver.note(element);
    case "office:annotation":
      receiver.annotation(element);
      return "";
    case "text:ruby": {
      const reading = element.child("text:ruby-text")?.text.trim() ?? "";
      const base = element.child("text:ruby-base");
      return `${base ? odfText(base, receiver) : ""}${reading === "" ? "" : `（${reading}）`}`;
    }
    default:
      if (SKIPPED.test(element.name)) return "";
      if (element.name.startsWith("draw:") && element.name !== "draw:a") return receiver.shape(element);
      return odfText(element, receiver);
  }
}
