import { markdownTable } from "../markdown/table.ts";
import type { ParagraphRole } from "../markdown/roles.ts";
import type { MarkdownWriter } from "../markdown/writer.ts";
import type { CompoundFile } from "../ole2.ts";
import { oneLine } from "../whitespace.ts";
import { bytesOf, FileInformation, type Structure } from "./file_information.ts";
import { type NoteRange, positions, readAuthors, readNotes } from "./notes.ts";
import { type PieceText, readText } from "./pieces.ts";
import { Formatting, PieceCursor } from "./properties.ts";
import { readStyleRoles } from "./styles.ts";

/** Modifications of properties ([MS-DOC] §2.6). */
const IN_TABLE = 0x2416;
const ROW_END = 0x2417;
const LIST_LEVEL = 0x260a;
const LIST = 0x460b;
const OUTLINE_LEVEL = 0x2640;
const DELETED = 0x0800;
const HIDDEN = 0x083c;
/** Maximum number of nested fields; all are inspected for each character. */
const MAX_FIELDS = 100;
/** Number of header parts before those of the sections: separators of notes. */
const SEPARATORS = 6;

/** Paragraph of a part of the text. */
interface Paragraph {
  readonly text: string;
  /** Position of the character that ends it. */
  readonly end: number;
  /** Whether a field with the number of a page was left out. */
  readonly hasPageField: boolean;
}

/** Converts a Word 97–2003 document to Markdown. */
export class DocConverter {
  readonly #writer: MarkdownWriter;
  readonly #information: FileInformation;
  readonly #table: Uint8Array;
  readonly #text: PieceText;
  readonly #cursor: PieceCursor;
  readonly #paragraphs: Formatting;
  readonly #characters: Formatting;
  readonly #roles: ParagraphRole[];
  /** Marks in the body by position. */
  readonly #marks = new Map<number, { mark: string; write: () => void }>();
  #pending: (() => void)[] = [];

  /** @throws {RangeError} If the file is damaged. */
  constructor(file: CompoundFile, writer: MarkdownWriter) {
    this.#writer = writer;
    const stream = file.read("WordDocument") ?? new Uint8Array();
    this.#information = new FileInformation(stream);
    this.#table = file.read(this.#information.tableStream) ?? new Uint8Array();
    this.#text = readText(stream, this.#table, this.#information);
    this.#cursor = new PieceCursor(this.#text.pieces);
    this.#paragraphs = new Formatting(stream, this.#structure("paragraphPages"), {
      isParagraph: true,
      wanted: new Set([IN_TABLE, ROW_END, LIST_LEVEL, LIST, OUTLINE_LEVEL]),
    });
    this.#characters = new Formatting(stream, this.#structure("characterPages"), {
      isParagraph: false,
      wanted: new Set([DELETED, HIDDEN]),
    });
    this.#roles = readStyleRoles(this.#structure("styles"));
  }

  /** Writes the body with its notes and comments, then text boxes, headers and footers. */
  convert(): void {
    const { body, footnotes, headers, macros, comments, endnotes, boxes, headerBoxes } =
      this.#information.lengths;
    const footnoteStart = body;
    const headerStart = footnoteStart + footnotes;
    const commentStart = headerStart + headers + macros;
    const endnoteStart = commentStart + comments;
    const boxStart = endnoteStart + endnotes;
    this.#addNotes("footnote", footnoteStart);
    this.#addNotes("endnote", endnoteStart);
    this.#addComments(commentStart);
    this.#body(0, body);
    this.#body(boxStart, boxStart + boxes);
    this.#headers(headerStart, boxStart + boxes, headerBoxes);
  }

  #structure(name: Structure): Uint8Array {
    return bytesOf(this.#table, this.#information.range(name));
  }

  #addNotes(kind: "footnote" | "endnote", start: number): void {
    const notes = readNotes(this.#structure(`${kind}References`), this.#structure(`${kind}Texts`), "note");
    for (const note of notes) {
      const mark = `[^${this.#marks.size + 1}]`;
      const write = () => this.#writer.paragraph(`${mark}: ${this.#noteText(note, start)}`);
      this.#marks.set(note.reference, { mark, write });
    }
  }

  #addComments(start: number): void {
    const authors = readAuthors(this.#structure("commentAuthors"));
    const comments = readNotes(
      this.#structure("commentReferences"),
      this.#structure("commentTexts"),
      "comment",
    );
    for (const comment of comments) {
      const author = authors[comment.author];
      const write = () =>
        this.#writer.quote(`Comment${author ? ` by ${author}` : ""}: ${this.#noteText(comment, start)}`);
      this.#marks.set(comment.reference, { mark: "", write });
    }
  }

  #noteText(note: NoteRange, start: number): string {
    return this.#read(start + note.start, start + note.end).map(({ text }) => text).join(" ").trim();
  }

  #body(start: number, end: number): void {
    let cell: string[] = [];
    let cells: string[] = [];
    let rows: string[][] = [];
    const endTable = () => {
      if (cell.length > 0) cells.push(cell.join(" "));
      // Without formatting, the end of a row looks like an empty cell.
      if (this.#information.isOld) rows.push([cells.filter((text) => text !== "").join(" | ")]);
      else if (cells.length > 0) rows.push(cells);
      // A table of one column is a frame around text.
      if (rows.every((row) => row.length <= 1)) rows.forEach((row) => this.#writer.paragraph(row[0] ?? ""));
      else this.#writer.block(markdownTable(rows.map((row) => row.map((text) => ({ text })))));
      [cell, cells, rows] = [[], [], []];
    };
    for (const { text, end: at } of this.#read(start, end)) {
      const formatting = this.#paragraphs.at(this.#cursor.offsetOf(at));
      const isCellEnd = this.#text.text[at] === "\x07";
      if (formatting?.properties.get(ROW_END)) {
        rows.push(cells);
        [cell, cells] = [[], []];
      } else if (isCellEnd) {
        cells.push([...cell, text].filter((part) => part.trim() !== "").join(" "));
        cell = [];
      } else if (formatting?.properties.get(IN_TABLE)) {
        cell.push(text);
      } else {
        endTable();
        this.#paragraph(text, formatting);
        this.#writePending();
      }
    }
    endTable();
    this.#writePending();
  }

  #paragraph(text: string, formatting: ReturnType<Formatting["at"]>): void {
    const role = this.#roles[formatting?.style ?? 0];
    if (role?.kind === "contents") return;
    const outlineLevel = formatting?.properties.get(OUTLINE_LEVEL) ?? 9;
    if (role?.kind === "heading") this.#writer.heading(role.level, text);
    else if (outlineLevel < 9) this.#writer.heading(outlineLevel + 1, text);
    else if (formatting?.properties.get(LIST)) {
      this.#writer.item(formatting.properties.get(LIST_LEVEL) ?? 0, "-", text);
    } else this.#writer.paragraph(text);
  }

  /** Writes the lines of the headers and footers, each once. */
  #headers(start: number, boxStart: number, boxLength: number): void {
    const ends = positions(this.#structure("headerTexts"));
    const lines = new Set<string>();
    const add = ({ text, hasPageField }: Paragraph) => {
      const line = oneLine(text);
      if (/\p{L}{2}/u.test(line) && !(hasPageField && line.split(" ").length <= 4)) lines.add(line);
    };
    for (let i = SEPARATORS; i < ends.length - 1; i++) {
      this.#read(start + ends[i]!, start + ends[i + 1]!).forEach(add);
    }
    this.#read(boxStart, boxStart + boxLength).forEach(add);
    for (const line of lines) this.#writer.paragraph(line);
  }

  /** Reads the paragraphs of a part of the text, without instructions of fields, deleted and hidden text. */
  #read(start: number, end: number): Paragraph[] {
    const { text } = this.#text;
    const paragraphs: Paragraph[] = [];
    /** Instructions of the open fields; `undefined` after the instruction. */
    const fields: (string | undefined)[] = [];
    let line = "";
    let hasPageField = false;
    const last = Math.min(end, text.length);
    for (let at = Math.max(start, 0); at < last; at++) {
      const char = text[at]!;
      const mark = this.#marks.get(at);
      if (mark && at < this.#information.lengths.body) {
        line += mark.mark;
        this.#pending.push(mark.write);
      }
      if (char === "\r" || char === "\x07" || char === "\f") {
        paragraphs.push({ text: line, end: at, hasPageField });
        line = "";
        hasPageField = false;
      } else if (char === "\x13") {
        if (fields.length < MAX_FIELDS) fields.push("");
      } else if (char === "\x14") {
        hasPageField ||= /^\s*(?:PAGE|NUMPAGES|SECTIONPAGES)\b/i.test(fields.at(-1) ?? "");
        if (fields.length > 0) fields[fields.length - 1] = hasPageField ? "page" : undefined;
      } else if (char === "\x15") {
        fields.pop();
      } else if (fields.some((field) => field !== undefined)) {
        const field = fields.at(-1);
        if (field !== undefined && field.length < 20) fields[fields.length - 1] = field + char;
      } else if (!this.#isHidden(at)) {
        line += CHARACTERS.get(char) ?? char;
      }
    }
    if (line.trim() !== "") paragraphs.push({ text: line, end: last - 1, hasPageField });
    return paragraphs;
  }

  #isHidden(at: number): boolean {
    const properties = this.#characters.at(this.#cursor.offsetOf(at))?.properties;
    return properties !== undefined && (properties.get(DELETED) === 1 || properties.get(HIDDEN) === 1);
  }

  #writePending(): void {
    const blocks = this.#pending;
    this.#pending = [];
    for (const write of blocks) write();
  }
}

/** Special characters ([MS-DOC] §2.4.1). */
const CHARACTERS: ReadonlyMap<string, string> = new Map([
  ["\0", ""],
  ["\x01", ""],
  ["\x02", ""],
  ["\x05", ""],
  ["\x08", ""],
  ["\v", "\n"],
  ["\x0e", "\n"],
  ["\x1e", "\u2011"],
  ["\x1f", ""],
]);
