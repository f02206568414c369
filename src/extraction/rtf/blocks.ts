import { markdownTable } from "../markdown/table.ts";
import type { MarkdownWriter } from "../markdown/writer.ts";
import { oneLine } from "../whitespace.ts";
import type { Destination } from "./destinations.ts";

/** Text that is collected for a destination, with the properties of its current paragraph. */
interface Target {
  readonly destination: Destination;
  text: string;
  /** Ended paragraphs of a destination other than the body. */
  readonly paragraphs: string[];
}

/** Properties of a paragraph. */
interface ParagraphState {
  isInTable: boolean;
  style: number;
  outlineLevel: number | undefined;
  listLevel: number;
}

const PLAIN: ParagraphState = { isInTable: false, style: 0, outlineLevel: undefined, listLevel: 0 };

/** Assembles paragraphs, lists and tables from the text of RTF, and writes them as Markdown. */
export class RtfBlocks {
  readonly #writer: MarkdownWriter;
  /** Text of the body and of the open destinations around it. */
  readonly #targets: Target[] = [{ destination: "body", text: "", paragraphs: [] }];
  readonly #styles = new Map<number, string>();
  #paragraph: ParagraphState = { ...PLAIN };
  #label = "";
  #cell: string[] = [];
  #cells: string[] = [];
  #rows: string[][] = [];
  #noteCount = 0;
  #author = "";
  #pending: (() => void)[] = [];
  readonly #headers = new Set<string>();
  #hasPageNumber = false;

  constructor(writer: MarkdownWriter) {
    this.#writer = writer;
  }

  /** Names a style. */
  defineStyle(number: number, name: string): void {
    if (!this.#styles.has(number)) this.#styles.set(number, name);
  }

  /** Adds text to the current destination. */
  text(text: string): void {
    this.#targets.at(-1)!.text += text;
  }

  /** Starts to collect the text of a destination. */
  enter(destination: Destination): void {
    if (destination === "footnote") {
      const number = ++this.#noteCount;
      this.text(`[^${number}]`);
    }
    this.#targets.push({ destination, text: "", paragraphs: [] });
  }

  /** Ends a destination. */
  leave(destination: Destination): void {
    const target = this.#targets.at(-1)!;
    if (this.#targets.length === 1 || target.destination !== destination) return;
    this.#targets.pop();
    const lines = [...target.paragraphs, target.text].map(oneLine);
    const paragraphs = lines.filter((line) => line !== "");
    const text = paragraphs.join(" ");
    switch (destination) {
      case "footnote": {
        const number = this.#noteCount;
        this.#pending.push(() => this.#writer.paragraph(`[^${number}]: ${text}`));
        break;
      }
      case "annotation_author":
        this.#author = text;
        break;
      case "annotation": {
        const author = this.#author;
        if (text !== "") {
          this.#pending.push(() => this.#writer.quote(`Comment${author && ` by ${author}`}: ${text}`));
        }
        break;
      }
      case "box":
        this.#pending.push(() => paragraphs.forEach((paragraph) => this.#writer.paragraph(paragraph)));
        break;
      case "header":
        for (const line of paragraphs) {
          if (/\p{L}{2}/u.test(line) && !(this.#hasPageNumber && line.split(" ").length <= 4)) {
            this.#headers.add(line);
          }
        }
        this.#hasPageNumber = false;
        break;
      case "label":
        this.#label = text;
        break;
      case "instruction":
        this.#hasPageNumber ||= /^(?:PAGE|NUMPAGES|SECTIONPAGES)\b/i.test(text);
    }
  }

  /** Applies a control word of paragraphs or tables. */
  control(word: string, value: number | undefined): void {
    switch (word) {
      case "pard":
        this.#paragraph = { ...PLAIN };
        break;
      case "intbl":
        this.#paragraph.isInTable = value !== 0;
        break;
      case "s":
        this.#paragraph.style = value ?? 0;
        break;
      case "outlinelevel":
        this.#paragraph.outlineLevel = value;
        break;
      case "ilvl":
        this.#paragraph.listLevel = Math.min(Math.max(value ?? 0, 0), 8);
        break;
      case "trowd":
        this.#paragraph.isInTable = true;
        break;
      case "chpgn":
        this.#hasPageNumber = true;
        break;
      case "cell":
        this.#endCell();
        break;
      case "nestcell":
        this.paragraphEnd();
        break;
      case "row":
        this.#endRow();
    }
  }

  /** Ends a paragraph. */
  paragraphEnd(): void {
    const target = this.#targets.at(-1)!;
    const { text } = target;
    target.text = "";
    if (this.#targets.length > 1) {
      target.paragraphs.push(text);
    } else if (this.#paragraph.isInTable) {
      const label = this.#takeLabel();
      this.#cell.push(label === "" || label === "-" ? text : `${label} ${text}`);
    } else {
      this.#endTable();
      this.#writeParagraph(text);
      this.#writePending();
    }
  }

  /** Ends the document. */
  finish(): void {
    while (this.#targets.length > 1) this.leave(this.#targets.at(-1)!.destination);
    if (this.#targets[0]!.text.trim() !== "") this.paragraphEnd();
    if (this.#cell.length > 0) this.#endCell();
    this.#endRow();
    this.#endTable();
    this.#writePending();
    for (const line of this.#headers) this.#writer.paragraph(line);
  }

  #writeParagraph(text: string): void {
    const label = this.#takeLabel();
    const level = this.#headingLevel();
    if (level !== undefined) {
      this.#writer.heading(level, label === "" || label === "-" ? text : `${label} ${text}`);
    } else if (label === "") this.#writer.paragraph(text);
    else if (label === "-" || /^\d{1,9}[.)]$/.test(label)) {
      this.#writer.item(this.#paragraph.listLevel, label, text);
    } else this.#writer.item(this.#paragraph.listLevel, "-", `${label} ${text}`);
  }

  /** Returns the label of the current item: `-` for a bullet, an empty string outside of lists. */
  #takeLabel(): string {
    const label = this.#label;
    this.#label = "";
    return label === "" || /[\p{L}\p{N}]/u.test(label) && label !== "o" ? label : "-";
  }

  #headingLevel(): number | undefined {
    const name = this.#styles.get(this.#paragraph.style) ?? "";
    const level = /^heading ([1-9])$/i.exec(name)?.[1];
    if (level !== undefined) return Number(level);
    if (/^title$/i.test(name)) return 1;
    const { outlineLevel } = this.#paragraph;
    return outlineLevel !== undefined && outlineLevel >= 0 && outlineLevel <= 8
      ? outlineLevel + 1
      : undefined;
  }

  #endCell(): void {
    const target = this.#targets.at(-1)!;
    if (this.#targets.length > 1) return this.paragraphEnd();
    this.#cell.push(target.text);
    target.text = "";
    this.#label = "";
    this.#cells.push(this.#cell.filter((text) => text.trim() !== "").join(" "));
    this.#cell = [];
  }

  #endRow(): void {
    if (this.#cells.length > 0) this.#rows.push(this.#cells);
    this.#cells = [];
  }

  #endTable(): void {
    this.#endRow();
    const rows = this.#rows;
    this.#rows = [];
    // A table of one column is a frame around text.
    if (rows.every((row) => row.length <= 1)) rows.forEach((row) => this.#writer.paragraph(row[0] ?? ""));
    else this.#writer.block(markdownTable(rows.map((row) => row.map((text) => ({ text })))));
    if (rows.length > 0) this.#writePending();
  }

  #writePending(): void {
    const blocks = this.#pending;
    this.#pending = [];
    for (const write of blocks) write();
  }
}
