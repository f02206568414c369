import { altText } from "../../alt_text.ts";
import { markdownTable } from "../../markdown/table.ts";
import type { MarkdownWriter } from "../../markdown/writer.ts";
import type { XmlElement } from "../../xml/element.ts";
import { alternative } from "../alternative.ts";
import { chartMarkdown, diagramTexts } from "../charts.ts";
import type { OoxmlPackage } from "../package.ts";
import { commentTexts } from "./comments.ts";
import { drawingTable, drawingText } from "./text.ts";

/** Placeholders without content of the slide (ECMA-376 part 1 §19.7.10). */
const GENERATED = new Set(["sldNum", "sldImg", "hdr"]);
/** Placeholders whose paragraphs are bullets. */
const BULLETED = new Set(["body", "obj"]);

/** Converts the slides of a presentation to Markdown. */
export class SlideConverter {
  readonly #package: OoxmlPackage;
  readonly #writer: MarkdownWriter;
  /** Footers and dates that have been written: each appears once. */
  readonly #footers = new Set<string>();

  constructor(source: OoxmlPackage, writer: MarkdownWriter) {
    this.#package = source;
    this.#writer = writer;
  }

  /**
   * Converts a slide.
   *
   * @param path Path of its part.
   * @param number Number from 1.
   * @throws {XmlError}
   */
  slide(path: string, number: number): void {
    const shapes = this.#package.read(path)?.path("p:cSld", "p:spTree");
    this.#writer.startPage();
    if (!shapes) return;
    const title = shapes.descendants("p:sp").find((shape) =>
      /^(?:title|ctrTitle)$/.test(placeholderOf(shape) ?? "")
    );
    const words = title
      ? paragraphsOf(title).map((paragraph) => drawingText(paragraph)).join(" ").trim()
      : "";
    // Without a heading of its own, the text would belong to the slide before.
    this.#writer.heading(number === 1 ? 1 : 2, words === "" ? `Slide ${number}` : words);
    this.#shapes(shapes, path, title);
    const notes = this.#package.readOnce(this.#package.related(path, "notesSlide"));
    for (const shape of notes?.descendants("p:sp") ?? []) {
      if (placeholderOf(shape) !== "body") continue;
      const text = paragraphsOf(shape).map((paragraph) => drawingText(paragraph)).join("\n").trim();
      if (text !== "") this.#writer.quote(`Notes: ${text}`);
    }
    for (const comment of commentTexts(this.#package, path)) this.#writer.quote(comment);
  }

  #shapes(parent: XmlElement, path: string, title: XmlElement | undefined): void {
    for (const element of parent.elements) {
      if (element === title) continue;
      switch (element.name) {
        case "p:sp":
        case "p:cxnSp":
          this.#shape(element);
          break;
        case "p:grpSp":
          this.#shapes(element, path, title);
          break;
        case "mc:AlternateContent":
          this.#shapes(alternative(element), path, title);
          break;
        case "p:graphicFrame":
          this.#frame(element, path);
          break;
        case "p:pic":
          this.#writer.paragraph(altText(element.path("p:nvPicPr", "p:cNvPr")?.get("descr")) ?? "");
      }
    }
  }

  #shape(shape: XmlElement): void {
    const placeholder = placeholderOf(shape);
    if (placeholder !== undefined && GENERATED.has(placeholder)) return;
    const paragraphs = paragraphsOf(shape);
    if (placeholder === "ftr" || placeholder === "dt") {
      const text = paragraphs.map((paragraph) => drawingText(paragraph)).join(" ").trim();
      if (this.#footers.has(text)) return;
      this.#footers.add(text);
    }
    const isList = placeholder !== undefined && BULLETED.has(placeholder) && paragraphs.length > 1;
    let number = 0;
    for (const paragraph of paragraphs) {
      const properties = paragraph.child("a:pPr");
      const text = drawingText(paragraph);
      const level = Math.min(Number(properties?.get("lvl")) || 0, 8);
      const isNumbered = properties?.child("a:buAutoNum") !== undefined;
      const isItem = isNumbered || properties?.child("a:buChar", "a:buBlip") !== undefined ||
        (isList && properties?.child("a:buNone") === undefined);
      if (text.trim() === "") continue;
      number = isNumbered && level === 0 ? number + 1 : number;
      if (!isItem) this.#writer.paragraph(text);
      else this.#writer.item(level, isNumbered && level === 0 ? `${number}.` : "-", text);
    }
  }

  /** Converts a frame with a table, chart or diagram. */
  #frame(frame: XmlElement, path: string): void {
    for (const table of frame.descendants("a:tbl")) this.#writer.block(markdownTable(drawingTable(table)));
    const relationships = this.#package.relationships(path);
    for (const chart of frame.descendants("c:chart")) {
      const root = this.#package.readOnce(relationships.get(chart.get("r:id") ?? "")?.target);
      if (root) chartMarkdown(root).forEach((block) => this.#writer.block(block));
    }
    for (const diagram of frame.descendants("dgm:relIds")) {
      const root = this.#package.readOnce(relationships.get(diagram.get("r:dm") ?? "")?.target);
      if (root) diagramTexts(root).forEach((text) => this.#writer.item(0, "-", text));
    }
    const description = altText(frame.path("p:nvGraphicFramePr", "p:cNvPr")?.get("descr"));
    if (description !== undefined) this.#writer.paragraph(description);
  }
}

/** Returns the type of a shape's placeholder; `obj` without a type, `undefined` for other shapes. */
function placeholderOf(shape: XmlElement): string | undefined {
  const placeholder = shape.path("p:nvSpPr", "p:nvPr", "p:ph");
  return placeholder ? placeholder.get("type") ?? "obj" : undefined;
}

function paragraphsOf(shape: XmlElement): XmlElement[] {
  return shape.child("p:txBody")?.elements.filter(({ name }) => name === "a:p") ?? [];
}
