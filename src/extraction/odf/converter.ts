import { altText } from "../alt_text.ts";
import { markdownTable, type TableCell } from "../markdown/table.ts";
import type { MarkdownWriter } from "../markdown/writer.ts";
import type { XmlElement } from "../xml/element.ts";
import { type OdfInlineReceiver, odfText } from "./inline.ts";
import { mathmlToLatex } from "./mathml.ts";
import type { OdfPackage } from "./package.ts";
import { OdfStyles } from "./styles.ts";

/** Generated lists of headings, and deleted text. */
const SKIPPED = new Set(["text:table-of-content", "text:tracked-changes", "office:forms"]);
/** Maximum number of repetitions of a cell of a text table. */
const MAX_REPEATED = 100;

/** Converts the blocks of an OpenDocument file to Markdown. */
export class OdfConverter implements OdfInlineReceiver {
  readonly styles = new OdfStyles();
  readonly #package: OdfPackage;
  readonly #writer: MarkdownWriter;
  /** Notes, comments and text boxes, which follow the current block. */
  #pending: (() => void)[] = [];
  #code: string[] = [];
  #noteCount = 0;

  constructor(source: OdfPackage, writer: MarkdownWriter) {
    this.#package = source;
    this.#writer = writer;
    this.styles.add(source.tryRead("styles.xml"));
  }

  /** Converts a block. */
  block(element: XmlElement): void {
    if (SKIPPED.has(element.name)) return;
    const role = element.name === "text:p" ? this.styles.roleOf(element.get("text:style-name")) : undefined;
    if (role?.kind === "code") {
      this.#code.push(odfText(element, this));
      return;
    }
    this.finish();
    switch (element.name) {
      case "text:h":
        this.#writer.heading(
          Number(element.get("text:outline-level") ?? element.get("text:level")) || 1,
          odfText(element, this),
        );
        break;
      case "text:p":
        if (role?.kind === "heading") this.#writer.heading(role.level, odfText(element, this));
        else this.#writer.paragraph(odfText(element, this));
        break;
      case "text:list":
      case "text:ordered-list":
      case "text:unordered-list":
        this.#list(element, 0, undefined);
        break;
      case "table:table":
        this.#writer.block(markdownTable(this.#rows(element)));
        break;
      case "office:annotation":
        this.annotation(element);
        break;
      default:
        if (element.name.startsWith("draw:")) this.#writer.paragraph(this.shape(element));
        else this.blocks(element);
    }
    this.#writePending();
  }

  /** Converts the blocks of a container. */
  blocks(parent: XmlElement): void {
    for (const child of parent.elements) this.block(child);
  }

  /** Ends a block of code. */
  finish(): void {
    const lines = this.#code;
    this.#code = [];
    if (lines.some((line) => line.trim() !== "")) this.#writer.fence(lines);
    if (lines.length > 0) this.#writePending();
  }

  note(note: XmlElement): string {
    const number = ++this.#noteCount;
    const body = note.child("text:note-body", "text:footnote-body", "text:endnote-body");
    if (body) this.#pending.push(() => this.#writer.paragraph(`[^${number}]: ${this.plainText(body)}`));
    return `[^${number}]`;
  }

  annotation(annotation: XmlElement): void {
    const author = annotation.child("dc:creator")?.text.trim();
    this.#pending.push(() => {
      const text = this.plainText(annotation);
      if (text !== "") this.#writer.quote(`Comment${author ? ` by ${author}` : ""}: ${text}`);
    });
  }

  shape(shape: XmlElement): string {
    const object = shape.child("draw:object")?.get("xlink:href");
    const content = object === undefined
      ? shape.child("draw:object")
      : this.#package.readOnce(`${object.replace(/^\.\//, "").replace(/\/$/, "")}/content.xml`);
    const formula = content?.name === "math:math" ? content : content?.child("math:math");
    if (formula) return `$${mathmlToLatex(formula)}$`;
    if (content) this.#pending.push(() => this.#object(content));
    this.#pending.push(() => {
      for (const child of shape.elements) {
        if (child.name === "draw:text-box" || child.name === "draw:a") this.blocks(child);
        else if (/^(?:text:(?:p|h|list)|table:table|draw:(?!image|object|glue|enhanced))/.test(child.name)) {
          this.block(child);
        }
      }
      const description = altText(shape.child("svg:desc")?.text) ?? altText(shape.child("svg:title")?.text);
      if (description !== undefined) this.#writer.paragraph(description);
    });
    return "";
  }

  /** Returns the text of all paragraphs in an element on one line. */
  plainText(parent: XmlElement): string {
    const texts: string[] = [];
    for (const child of parent.elements) {
      if (child.name === "text:p" || child.name === "text:h") texts.push(odfText(child, this));
      else if (!SKIPPED.has(child.name) && !/^(?:dc|meta):/.test(child.name)) {
        texts.push(this.plainText(child));
      }
    }
    return texts.filter((text) => text.trim() !== "").join(" ").trim();
  }

  /** Writes what an embedded chart has: its titles and its table. */
  #object(content: XmlElement): void {
    for (const title of content.descendants("chart:title", "chart:subtitle")) {
      this.#writer.paragraph(title.text);
    }
    for (const table of content.descendants("table:table")) {
      this.#writer.block(markdownTable(this.#rows(table)));
    }
  }

  #list(list: XmlElement, level: number, outerStyle: string | undefined): void {
    const style = list.get("text:style-name") ?? outerStyle;
    const isNumbered = list.name === "text:ordered-list" || this.styles.isNumbered(style, level);
    let number = 0;
    for (const item of list.elements) {
      if (item.name !== "text:list-item" && item.name !== "text:list-header") continue;
      number = Number(item.get("text:start-value")) || number + 1;
      const mark = isNumbered ? `${number}.` : "-";
      let lines: string[] = [];
      const writeLines = () => {
        this.#writer.item(level, mark, lines.join("\n"));
        lines = [];
      };
      for (const child of item.elements) {
        if (child.name === "text:p") {
          lines.push(odfText(child, this));
          continue;
        }
        writeLines();
        if (/^text:(?:un)?(?:ordered-)?list$/.test(child.name)) this.#list(child, level + 1, style);
        else this.block(child);
      }
      writeLines();
    }
  }

  /** Returns the cells of a table. Covered cells exist, and are empty. */
  #rows(table: XmlElement): TableCell[][] {
    return table.elements.flatMap((child) => {
      if (child.name === "table:table-row") return [this.#cells(child)];
      return /^table:table-(?:header-rows|rows|row-group)$/.test(child.name) ? this.#rows(child) : [];
    });
  }

  #cells(row: XmlElement): TableCell[] {
    return row.elements.flatMap((cell) => {
      if (!/^table:(?:covered-)?table-cell$/.test(cell.name)) return [];
      const repeated = Math.min(Number(cell.get("table:number-columns-repeated")) || 1, MAX_REPEATED);
      const text = cell.name === "table:table-cell" ? this.plainText(cell) : "";
      return new Array<TableCell>(repeated).fill({ text });
    });
  }

  #writePending(): void {
    // Notes and boxes can have notes of their own, which follow them.
    for (let blocks = this.#pending; blocks.length > 0; blocks = this.#pending) {
      this.#pending = [];
      for (const write of blocks) write();
    }
  }
}
