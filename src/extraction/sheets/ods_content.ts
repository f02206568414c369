import { MAX_CELL_COPIES, MAX_SHEET_COLUMNS } from "../limits.ts";
import { localName } from "../xml/element.ts";
import { scanXml, type XmlHandler } from "../xml/scan_xml.ts";
import { linkText, referenceOf } from "./cells.ts";
import type { SheetRow } from "./sheet_text.ts";
import { type SheetComment, type SheetContent, withoutAuthor } from "./workbook.ts";

/** A sheet of an OpenDocument spreadsheet. */
export interface OdsSheet extends SheetContent {
  readonly name: string;
  readonly isHidden: boolean;
}

/** Receivers of {@linkcode parseOdsContent}. */
export interface OdsContext {
  readonly onSheet: (sheet: OdsSheet) => void;
  /** Receives the number of rows so far. */
  readonly onRow: (rows: number) => void;
  /** Receives the length of each cell, and throws if they are too long. */
  readonly onCell: (chars: number) => void;
}

/**
 * Reads the sheets of `content.xml` (ODF 1.3 part 3 §9) without building its tree.
 *
 * @throws {XmlError}
 */
export function parseOdsContent(source: Iterable<Uint8Array>, context: OdsContext): void {
  scanXml(source, new ContentHandler(context));
}

type Attributes = Readonly<Record<string, string>>;

interface OpenSheet {
  readonly name: string;
  readonly isHidden: boolean;
  readonly rows: SheetRow[];
  readonly comments: SheetComment[];
  readonly texts: string[];
  /** Number of the next row. */
  row: number;
}

interface OpenCell {
  readonly attributes: Attributes;
  readonly paragraphs: string[];
  readonly column: number;
  link?: string;
}

class ContentHandler implements XmlHandler {
  readonly #context: OdsContext;
  readonly #hiddenStyles = new Set<string>();
  #style = "";
  #sheet: OpenSheet | undefined;
  #tables = 0;
  #row: { readonly texts: string[]; readonly columns: number[]; readonly copies: number } | undefined;
  #column = 0;
  #rows = 0;
  #cell: OpenCell | undefined;
  /** Text boxes and comments around the current text. */
  #shapes = 0;
  #comment: { author: string; paragraphs: string[] } | undefined;
  #shape: string[] = [];
  #paragraph: string | undefined;
  #isAuthor = false;
  #isIgnored = 0;

  constructor(context: OdsContext) {
    this.#context = context;
  }

  open(name: string, raw: Attributes): void {
    const attribute = (local: string) => findAttribute(raw, local);
    switch (name) {
      case "style":
        this.#style = attribute("name") ?? "";
        break;
      case "table-properties":
        if (attribute("display") === "false") this.#hiddenStyles.add(this.#style);
        break;
      case "tracked-changes":
        this.#isIgnored++;
        break;
      case "table":
        if (this.#isIgnored > 0 || ++this.#tables > 1) break;
        this.#sheet = {
          name: attribute("name") ?? "",
          isHidden: this.#hiddenStyles.has(attribute("style-name") ?? ""),
          rows: [],
          comments: [],
          texts: [],
          row: 0,
        };
        break;
      case "table-row":
        if (this.#tables !== 1) break;
        this.#row = { texts: [], columns: [], copies: countOf(attribute("number-rows-repeated")) };
        this.#column = 0;
        break;
      case "table-cell":
      case "covered-table-cell":
        if (this.#tables === 1 && this.#row) {
          this.#cell = { attributes: raw, paragraphs: [], column: this.#column };
          this.#column += countOf(attribute("number-columns-repeated"));
        }
        break;
      case "annotation":
        this.#comment = { author: "", paragraphs: [] };
        break;
      case "creator":
        this.#isAuthor = this.#comment !== undefined;
        break;
      case "frame":
      case "custom-shape":
        this.#shapes++;
        break;
      case "p":
      case "h":
        this.#paragraph = "";
        break;
      case "s":
      case "tab":
      case "line-break":
        if (this.#paragraph !== undefined) this.#paragraph += " ";
        break;
      case "a":
        if (this.#cell) this.#cell.link ??= attribute("href") ?? "";
        break;
    }
  }

  text(text: string): void {
    if (this.#isAuthor && this.#comment) this.#comment.author += text;
    else if (this.#paragraph !== undefined) this.#paragraph += text;
  }

  close(name: string): void {
    switch (name) {
      case "tracked-changes":
        this.#isIgnored--;
        break;
      case "table":
        if (this.#isIgnored > 0 || --this.#tables > 0 || !this.#sheet) break;
        this.#context.onSheet(this.#sheet);
        this.#sheet = undefined;
        break;
      case "table-row":
        if (this.#tables === 1) this.#closeRow();
        break;
      case "table-cell":
      case "covered-table-cell":
        if (this.#tables === 1) this.#closeCell(name === "covered-table-cell");
        break;
      case "annotation":
        this.#closeComment();
        break;
      case "creator":
        this.#isAuthor = false;
        break;
      case "frame":
      case "custom-shape":
        this.#shapes--;
        if (this.#shapes === 0) this.#sheet?.texts.push(this.#shape.splice(0).join(" "));
        break;
      case "p":
      case "h":
        this.#closeParagraph();
        break;
    }
  }

  #closeParagraph(): void {
    const text = this.#paragraph ?? "";
    this.#paragraph = undefined;
    if (this.#comment) this.#comment.paragraphs.push(text);
    else if (this.#shapes > 0) this.#shape.push(text);
    else this.#cell?.paragraphs.push(text);
  }

  #closeComment(): void {
    const { author, paragraphs } = this.#comment!;
    this.#comment = undefined;
    if (!this.#sheet) return;
    const cell = referenceOf({ row: this.#sheet.row, column: this.#cell?.column ?? 0 });
    this.#sheet.comments.push({ cell, author, text: withoutAuthor(paragraphs.join(" "), author) });
  }

  #closeCell(isCovered: boolean): void {
    const cell = this.#cell;
    this.#cell = undefined;
    const text = cell ? shownText(cell) : "";
    // The content of a covered cell is not shown.
    if (!cell || !this.#row || isCovered || !/\S/.test(text)) return;
    const copies = Math.min(this.#column - cell.column, MAX_CELL_COPIES, MAX_SHEET_COLUMNS - cell.column);
    for (let i = 0; i < copies; i++) {
      this.#context.onCell(text.length);
      this.#row.texts.push(text);
      this.#row.columns.push(cell.column + i);
    }
  }

  #closeRow(): void {
    const row = this.#row;
    this.#row = undefined;
    if (!row || !this.#sheet) return;
    this.#sheet.row += row.copies;
    if (row.texts.length === 0) return;
    const chars = row.texts.reduce((sum, text) => sum + text.length, 0);
    for (let copy = 0; copy < Math.min(row.copies, MAX_CELL_COPIES); copy++) {
      if (copy > 0) this.#context.onCell(chars);
      this.#sheet.rows.push(row);
      if (++this.#rows % 1_000 === 0) this.#context.onRow(this.#rows);
    }
  }
}

/** Returns the text of a cell as it is shown; without one, its value or formula. */
function shownText({ attributes, paragraphs, link }: OpenCell): string {
  const text = paragraphs.join(" ");
  if (/\S/.test(text)) return link === undefined ? text : linkText(text, link);
  for (const name of ["string-value", "value", "date-value", "time-value", "boolean-value"]) {
    const value = findAttribute(attributes, name);
    if (value !== undefined) return value;
  }
  return findAttribute(attributes, "formula")?.replace(/^\w+:(?==)/, "") ?? "";
}

function findAttribute(attributes: Attributes, name: string): string | undefined {
  for (const key of Object.keys(attributes)) if (localName(key) === name) return attributes[key];
  return undefined;
}

function countOf(repeated: string | undefined): number {
  const count = Number(repeated ?? 1);
  return Number.isInteger(count) && count > 0 ? count : 1;
}
