import { scanXml, type XmlHandler } from "../xml/scan_xml.ts";
import { linkText, parseReference } from "./cells.ts";
import type { NumberFormatter } from "./number_format.ts";
import type { SheetRow } from "./sheet_text.ts";

/** Parts of a workbook that its cells refer to. */
export interface CellContext {
  /** Shared strings by index. */
  readonly strings: readonly string[];
  /** Format code, or number of a built-in format, by the style of the cell. */
  readonly formats: readonly (string | number)[];
  readonly numbers: NumberFormatter;
  /** Returns the target of an external relationship of the sheet. */
  readonly linkTarget: (id: string) => string | undefined;
  /** Receives the number of rows so far. */
  readonly onRow: (rows: number) => void;
  /** Receives the length of each cell, and throws if they are too long. */
  readonly onCell: (chars: number) => void;
}

/** Cells of a worksheet, with what refers to its other parts. */
export interface ParsedSheet {
  readonly rows: readonly SheetRow[];
  /** Printed headers and footers, and formulas without a result. */
  readonly texts: readonly string[];
  /** Number of formulas without a stored result; their source is their text. */
  readonly uncalculated: number;
}

/** A part of a header or footer that is only a page number, such as "Page &P of &N". */
const PAGE_NUMBER = /^\s*(?:\p{L}{1,20}[.:]?\s?)?&P(?:\s?(?:\p{L}{1,20}|\/)\s?&N)?\s*$/iu;

interface Cell {
  readonly type: string;
  readonly style: number;
  readonly column: number;
  value: string;
  formula: string;
}

/** Reads the cells of a worksheet (ECMA-376 part 1 §18.3) without building its tree. @throws {XmlError} */
export function parseXlsxSheet(source: Iterable<Uint8Array>, context: CellContext): ParsedSheet {
  const handler = new SheetHandler(context);
  scanXml(source, handler);
  return handler;
}

class SheetHandler implements XmlHandler, ParsedSheet {
  readonly rows: { texts: string[]; columns: number[] }[] = [];
  readonly texts: string[] = [];
  uncalculated = 0;
  readonly #context: CellContext;
  /** Rows of `rows` by their number in the sheet, for links. */
  readonly #byNumber = new Map<number, number>();
  #rowNumber = -1;
  #column = -1;
  #cell: Cell | undefined;
  #target: "value" | "formula" | "text" | undefined;
  #text = "";
  #phonetic = 0;

  constructor(context: CellContext) {
    this.#context = context;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    switch (name) {
      case "row": {
        const number = Number(attributes["r"]);
        this.#rowNumber = Number.isInteger(number) && number > 0 ? number - 1 : this.#rowNumber + 1;
        this.#column = -1;
        this.#byNumber.set(this.#rowNumber, this.rows.length);
        this.rows.push({ texts: [], columns: [] });
        if (this.rows.length % 1_000 === 0) this.#context.onRow(this.rows.length);
        break;
      }
      case "c": {
        this.#column = parseReference(attributes["r"])?.column ?? this.#column + 1;
        const { t: type = "n", s: style } = attributes;
        this.#cell = { type, style: Number(style ?? 0), column: this.#column, value: "", formula: "" };
        break;
      }
      case "v":
        this.#target = "value";
        break;
      case "f":
        this.#target = "formula";
        break;
      case "t":
        if (this.#cell && this.#phonetic === 0) this.#target = "value";
        break;
      case "rPh":
        this.#phonetic++;
        break;
      case "hyperlink":
        this.#addLink(attributes);
        break;
      case "oddHeader":
      case "oddFooter":
        this.#target = "text";
        this.#text = "";
        break;
    }
  }

  text(text: string): void {
    if (this.#target === "text") this.#text += text;
    else if (this.#target !== undefined && this.#cell) this.#cell[this.#target] += text;
  }

  close(name: string): void {
    switch (name) {
      case "c":
        this.#addCell();
        this.#cell = undefined;
        break;
      case "rPh":
        this.#phonetic--;
        break;
      case "oddHeader":
      case "oddFooter":
        this.texts.push(printedText(this.#text));
        break;
    }
    this.#target = undefined;
  }

  #addCell(): void {
    const cell = this.#cell;
    if (!cell) return;
    const text = this.#textOf(cell);
    if (text === "") return;
    if (this.rows.length === 0) this.rows.push({ texts: [], columns: [] });
    const row = this.rows.at(-1)!;
    this.#context.onCell(text.length);
    row.texts.push(text);
    row.columns.push(cell.column);
  }

  #textOf({ type, style, value, formula }: Cell): string {
    const { strings, formats, numbers } = this.#context;
    if (value === "") {
      if (formula === "" || type === "str") return "";
      this.uncalculated++;
      return `=${formula}`;
    }
    switch (type) {
      case "s":
        return strings[Number(value)] ?? "";
      case "b":
        return value.trim() === "1" ? "TRUE" : "FALSE";
      case "n": {
        const number = Number(value);
        return Number.isNaN(number) ? value : numbers.format(number, formats[style] ?? 0);
      }
      default: // text, errors and ISO dates
        return unescapeText(value);
    }
  }

  #addLink(attributes: Readonly<Record<string, string>>): void {
    const position = parseReference(attributes["ref"]);
    const id = Object.entries(attributes).find(([name]) => name.endsWith(":id"))?.[1];
    const address = id === undefined ? undefined : this.#context.linkTarget(id);
    const row = position && this.rows[this.#byNumber.get(position.row) ?? -1];
    const index = row ? row.columns.indexOf(position.column) : -1;
    if (!row || index < 0 || address === undefined) return;
    row.texts[index] = linkText(row.texts[index]!, address);
  }
}

/** Decodes characters that XML cannot hold: `_x000D_` (§22.9.2.19). */
export function unescapeText(text: string): string {
  return text.includes("_x")
    ? text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
    : text;
}

/** Reads the shared strings of a workbook (§18.4), without phonetic guides. @throws {XmlError} */
export function parseSharedStrings(source: Iterable<Uint8Array>): string[] {
  const strings: string[] = [];
  let text = "";
  let isText = false;
  let phonetic = 0;
  scanXml(source, {
    open(name) {
      if (name === "si") text = "";
      else if (name === "rPh") phonetic++;
      else if (name === "t") isText = phonetic === 0;
    },
    text(part) {
      if (isText) text += part;
    },
    close(name) {
      isText = false;
      if (name === "rPh") phonetic--;
      else if (name === "si") strings.push(unescapeText(text));
    },
  });
  return strings;
}

/** Returns the text of a header or footer: without page numbers and codes of fields and fonts (§18.3.1.46). */
function printedText(text: string): string {
  return text.replace(/&(?:"[^"]*"|K[0-9A-F]{6}|\d+)/gi, "").split(/&[LCR]/i)
    .map((part) => PAGE_NUMBER.test(part) ? "" : part.replace(/&[A-Z]/gi, " ")).join(" ");
}
