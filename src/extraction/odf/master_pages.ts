import { oneLine } from "../whitespace.ts";
import type { XmlElement } from "../xml/element.ts";
import { odfText } from "./inline.ts";

/** Returns the lines of the headers and footers in the page styles, each once, without page numbers. */
export function masterPageLines(styles: XmlElement | undefined): string[] {
  const lines = new Set<string>();
  const parts = styles?.child("office:master-styles")?.descendants(
    "style:header",
    "style:footer",
    "style:header-first",
    "style:footer-first",
    "style:header-left",
    "style:footer-left",
  );
  for (const paragraph of parts?.flatMap((part) => part.descendants("text:p", "text:h")) ?? []) {
    const hasNumber = paragraph.descendants("text:page-number", "text:page-count").length > 0;
    const line = oneLine(odfText(paragraph, NO_RECEIVER));
    if (/\p{L}{2}/u.test(line) && !(hasNumber && line.split(" ").length <= 4)) lines.add(line);
  }
  return [...lines];
}

/** Notes cannot be in headers. */
const NO_RECEIVER = { note: () => "", annotation: () => {}, shape: () => "" };
