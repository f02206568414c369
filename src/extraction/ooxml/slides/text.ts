import type { TableCell } from "../../markdown/table.ts";
import { decodeSymbols } from "../../symbol_fonts.ts";
import type { XmlElement } from "../../xml/element.ts";
import { alternative } from "../alternative.ts";
import { latexOf } from "../math.ts";

/** Fields whose text is not content: the number of the slide and today's date. */
const GENERATED_FIELD = /^(?:slidenum|datetime)/i;

/** Returns the text of a paragraph of DrawingML (`a:p`, ECMA-376 part 1 §21.1.2.2.6). */
export function drawingText(parent: XmlElement): string {
  let text = "";
  for (const element of parent.elements) {
    if (
      element.name === "a:r" || (element.name === "a:fld" && !GENERATED_FIELD.test(element.get("type") ?? ""))
    ) {
      const font = element.path("a:rPr", "a:latin")?.get("typeface");
      // PowerPoint writes vertical tabs for line breaks in titles.
      text += decodeSymbols(element.child("a:t")?.text ?? "", font).replace(/_x000B_|\v/g, "\n");
    } else if (element.name === "a:br") {
      text += "\n";
    } else if (element.name === "m:oMath") {
      text += `$${latexOf(element)}$`;
    } else if (element.name === "mc:AlternateContent") {
      text += drawingText(alternative(element));
    } else if (element.name === "m:oMathPara" || element.name.endsWith(":m")) {
      text += drawingText(element);
    }
  }
  return text;
}

/** Returns the cells of a table (`a:tbl`, §21.1.3.13). Covered cells exist, and are empty. */
export function drawingTable(table: XmlElement): TableCell[][] {
  return table.elements.filter(({ name }) => name === "a:tr").map((row) =>
    row.elements.filter(({ name }) => name === "a:tc").map((cell) => {
      const isCovered = /^(?:1|true)$/.test(cell.get("hMerge") ?? cell.get("vMerge") ?? "");
      return {
        text: isCovered ? "" : cell.descendants("a:p").map((paragraph) => drawingText(paragraph)).join(" "),
      };
    })
  );
}
