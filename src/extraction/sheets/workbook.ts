import type { ExtractedText, ExtractionContext } from "../types.ts";
import type { DocType } from "../../contract/rules/mod.ts";
import { documentTitle } from "../document_title.ts";
import { cellText } from "../markdown/table.ts";
import { type SheetRow, writeSheet } from "./sheet_text.ts";
import { SheetWriter } from "./sheet_writer.ts";

/** Rows and notes of a sheet. */
export interface SheetContent {
  readonly rows: readonly SheetRow[];
  /** Comments with the reference of their cell. */
  readonly comments: readonly SheetComment[];
  /** Texts outside of cells: text boxes, titles of charts, printed headers and footers. */
  readonly texts: readonly string[];
}

/** A comment on a cell. */
export interface SheetComment {
  /** Reference such as `B12`. */
  readonly cell: string;
  readonly author?: string | undefined;
  readonly text: string;
}

/** Writes the sheets of a workbook, one after the other, and describes it. */
export class WorkbookWriter {
  readonly #writer: SheetWriter;
  readonly #sheets: string[] = [];
  readonly #hidden: string[] = [];

  constructor(context: Pick<ExtractionContext, "name" | "maxTextChars">) {
    this.#writer = new SheetWriter(context);
  }

  /**
   * Counts a cell that will be written, so that a workbook with too much text fails before all of it is in memory.
   *
   * @throws {ExtractionError} `too_large`
   */
  reserve(chars: number): void {
    this.#writer.reserve(chars + CELL_OVERHEAD);
  }

  /** Writes a sheet under a heading with its name. An empty one only appears in the metadata. */
  add(name: string, isHidden: boolean, { rows, comments, texts }: SheetContent): void {
    this.#sheets.push(name);
    if (isHidden) this.#hidden.push(name);
    let isEmpty = true;
    const write = (text: string) => {
      if (isEmpty) this.#writer.write(`## ${cellText(name) || "Sheet"}\n\n`);
      isEmpty = false;
      this.#writer.write(text);
    };
    writeSheet(rows, { write });
    const notes = comments.filter(({ text }) => /\S/.test(text)).map(({ cell, author, text }) =>
      `- ${cell}${author ? ` (${cellText(author)})` : ""}: ${cellText(text)}`
    );
    if (notes.length > 0) write(`Comments:\n\n${notes.join("\n")}\n\n`);
    for (const text of texts) if (/\S/.test(text)) write(`${cellText(text)}\n\n`);
  }

  /** @throws {ExtractionError} `no_text` */
  finish(
    docType: DocType,
    { properties, filename, warnings = [] }: {
      readonly properties: Readonly<Record<string, unknown>>;
      readonly filename: string | undefined;
      readonly warnings?: readonly string[];
    },
  ): ExtractedText {
    return {
      docType,
      title: documentTitle(properties["title"], filename),
      text: this.#writer.finish(),
      markup: "markdown",
      pageStarts: undefined,
      metadata: {
        ...properties,
        sheets: this.#sheets.slice(0, MAX_LISTED_SHEETS),
        ...(this.#hidden.length > 0 && { hidden_sheets: this.#hidden.slice(0, MAX_LISTED_SHEETS) }),
      },
      warnings,
      tags: [],
    };
  }
}

/** Removes the name that Excel writes in front of a new comment. */
export function withoutAuthor(text: string, author: string | undefined): string {
  return author && text.startsWith(`${author}:`) ? text.slice(author.length + 1) : text;
}

/** Minimum number of characters between two cells. */
const CELL_OVERHEAD = 2;
/** Maximum number of sheets that the metadata name. */
const MAX_LISTED_SHEETS = 200;
