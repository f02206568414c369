import { markdownTable, type TableCell } from "../../markdown/table.ts";
import type { MarkdownWriter } from "../../markdown/writer.ts";
import type { XmlElement } from "../../xml/element.ts";
import { altText } from "../../alt_text.ts";
import { alternative } from "../alternative.ts";
import { chartMarkdown, diagramTexts } from "../charts.ts";
import type { OoxmlPackage } from "../package.ts";
import { type InlineReceiver, inlineText } from "./inline.ts";
import { readNotes, type WordNotes } from "./notes.ts";
import { LargestText } from "./largest_text.ts";
import { WordNumbering } from "./numbering.ts";
import { WordStyles } from "./styles.ts";

/** Elements that contain blocks and add nothing to them. */
const WRAPPERS = new Set(["w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo", "w:smartTag"]);

/** Converts the blocks of a Word document to Markdown. */
export class WordConverter implements InlineReceiver {
  readonly #package: OoxmlPackage;
  readonly #path: string;
  readonly #writer: MarkdownWriter;
  readonly #styles: WordStyles;
  readonly #numbering: WordNumbering;
  readonly #notes: WordNotes;
  /** Text boxes, notes and comments, which follow the current paragraph or table. */
  #pending: (() => void)[] = [];
  #code: string[] = [];
  readonly #title: LargestText;
  /** References so far, and numbers by note. */
  readonly #noteNumbers = new Map<string, number>();

  /** @param path Path of the main part. */
  constructor(source: OoxmlPackage, path: string, writer: MarkdownWriter) {
    this.#package = source;
    this.#path = path;
    this.#writer = writer;
    this.#styles = new WordStyles(source.tryRead(source.related(path, "styles")));
    this.#title = new LargestText(this.#styles);
    this.#numbering = new WordNumbering(source.tryRead(source.related(path, "numbering")));
    this.#notes = readNotes(source, path);
  }

  /** The largest text of the first page. */
  get largestText(): string | undefined {
    return this.#title.text;
  }

  /** Converts a block, and the wrapped ones of an element that contains blocks. */
  block(element: XmlElement): void {
    if (element.name === "w:p") this.#paragraph(element);
    else if (element.name === "w:tbl") this.#table(element);
    else if (element.name === "m:oMathPara") this.#paragraph(wrap(element));
    else if (element.name === "mc:AlternateContent") this.blocks(alternative(element));
    else if (WRAPPERS.has(element.name)) this.blocks(element);
  }

  /** Converts the blocks of a container. */
  blocks(parent: XmlElement): void {
    for (const child of parent.children) if (typeof child !== "string") this.block(child);
  }

  /** Ends the document. */
  finish(): void {
    this.#endCode();
  }

  note(kind: "footnote" | "endnote", id: string): string {
    const note = this.#notes[kind].get(id);
    if (!note) return "";
    const key = `${kind} ${id}`;
    const number = this.#noteNumbers.get(key) ?? this.#noteNumbers.size + 1;
    if (!this.#noteNumbers.has(key)) {
      this.#noteNumbers.set(key, number);
      this.#pending.push(() => this.#writer.paragraph(`[^${number}]: ${this.#plainText(note)}`));
    }
    return `[^${number}]`;
  }

  comment(id: string): void {
    const comment = this.#notes.comment.get(id);
    if (!comment) return;
    this.#notes.comment.delete(id);
    this.#pending.push(() => {
      const author = comment.get("w:author")?.trim();
      this.#writer.quote(`Comment${author ? ` by ${author}` : ""}: ${this.#plainText(comment)}`);
    });
  }

  drawing(element: XmlElement): void {
    for (const box of outermost(element, "w:txbxContent")) this.#pending.push(() => this.blocks(box));
    const description =
      element.descendants("wp:docPr").map((each) => altText(each.get("descr"))).find(Boolean) ??
        element.descendants("v:shape").map((each) => altText(each.get("alt"))).find(Boolean);
    if (description !== undefined) this.#pending.push(() => this.#writer.paragraph(description));
    const relationships = this.#package.relationships(this.#path);
    for (const chart of element.descendants("c:chart")) {
      const root = this.#package.readOnce(relationships.get(chart.get("r:id") ?? "")?.target);
      if (root) this.#pending.push(() => chartMarkdown(root).forEach((block) => this.#writer.block(block)));
    }
    for (const diagram of element.descendants("dgm:relIds")) {
      const root = this.#package.readOnce(relationships.get(diagram.get("r:dm") ?? "")?.target);
      if (root) {
        this.#pending.push(() => diagramTexts(root).forEach((text) => this.#writer.item(0, "-", text)));
      }
    }
  }

  #paragraph(paragraph: XmlElement): void {
    const properties = paragraph.child("w:pPr");
    const role = this.#styles.roleOf(properties);
    if (role.kind === "contents") return;
    const { text } = inlineText(paragraph, this);
    if (role.kind === "code") {
      this.#code.push(text);
      return;
    }
    this.#endCode();
    if (text.trim() !== "") {
      this.#title.add(paragraph, text);
      const { list, level = 0 } = this.#styles.positionOf(properties);
      const label = list === undefined || list === "0" ? undefined : this.#numbering.next(list, level);
      if (role.kind === "heading") {
        const number = label && label.text !== "-" ? `${label.text} ` : "";
        this.#writer.heading(role.level, number + text);
      } else if (!label) {
        this.#writer.paragraph(text);
      } else if (label.text === "-" || /^\d{1,9}[.)]$/.test(label.text)) {
        this.#writer.item(label.level, label.text, text);
      } else {
        this.#writer.item(label.level, "-", `${label.text} ${text}`);
      }
    }
    this.#writePending();
  }

  #table(table: XmlElement): void {
    this.#endCode();
    const rows = rowsOf(table);
    // A table of one column is a frame around text.
    if (rows.every((row) => cellsOf(row).length <= 1)) {
      for (const row of rows) for (const cell of cellsOf(row)) this.blocks(cell);
      return;
    }
    this.#writer.block(markdownTable(rows.map((row) => this.#row(row))));
    this.#writePending();
  }

  #row(row: XmlElement): TableCell[] {
    const before = Number(row.path("w:trPr", "w:gridBefore")?.get("w:val")) || 0;
    const cells: TableCell[] = before > 0 ? [{ text: "", columns: before }] : [];
    for (const cell of cellsOf(row)) {
      const properties = cell.child("w:tcPr");
      const merge = properties?.child("w:vMerge", "w:hMerge");
      const isContinued = merge !== undefined && merge.get("w:val") !== "restart";
      const columns = Number(properties?.child("w:gridSpan")?.get("w:val")) || 1;
      cells.push({ text: isContinued ? "" : this.#plainText(cell), columns });
    }
    return cells;
  }

  /** Returns the text of all paragraphs in an element, on one line. */
  #plainText(parent: XmlElement): string {
    const texts: string[] = [];
    for (const child of parent.elements) {
      if (child.name === "w:p") texts.push(inlineText(child, this).text);
      else if (!child.name.endsWith("Pr")) texts.push(this.#plainText(child));
    }
    return texts.filter((text) => text.trim() !== "").join(" ");
  }

  #writePending(): void {
    // Notes and boxes can have references of their own, which follow them.
    for (let blocks = this.#pending; blocks.length > 0; blocks = this.#pending) {
      this.#pending = [];
      for (const write of blocks) write();
    }
  }

  /** Writes the collected lines of code as a fence. */
  #endCode(): void {
    const lines = this.#code;
    this.#code = [];
    if (lines.some((line) => line.trim() !== "")) this.#writer.fence(lines);
    if (lines.length > 0) this.#writePending();
  }
}

function wrap(element: XmlElement): XmlElement {
  const parent = Object.create(element) as XmlElement;
  Object.defineProperty(parent, "children", { value: [element] });
  return parent;
}

/** Returns the rows of a table, also those in content controls, without deleted ones. */
function rowsOf(table: XmlElement): XmlElement[] {
  return unwrapped(table, "w:tr").filter((row) => !row.path("w:trPr", "w:del"));
}

function cellsOf(row: XmlElement): XmlElement[] {
  return unwrapped(row, "w:tc");
}

function unwrapped(parent: XmlElement, name: string): XmlElement[] {
  return parent.elements.flatMap((child) =>
    child.name === name ? [child] : WRAPPERS.has(child.name) ? unwrapped(child, name) : []
  );
}

/** Returns the elements with a name that are not inside of another one; of alternatives only one. */
function outermost(parent: XmlElement, name: string): XmlElement[] {
  const children = parent.name === "mc:AlternateContent" ? alternative(parent).elements : parent.elements;
  return children.flatMap((child) => child.name === name ? [child] : outermost(child, name));
}
