import { normalizeText, tooLongText } from "../normalize.ts";
import { oneLine } from "../whitespace.ts";
import { escapeBlocks } from "./escape.ts";
import { fencedCode } from "./fence.ts";

/**
 * Collects the blocks of a document as Markdown. All text is normalized when it is added, so that offsets are final.
 */
export class MarkdownWriter {
  readonly #parts: string[] = [];
  readonly #pageStarts: number[] = [];
  readonly #name: string;
  readonly #maxChars: number;
  #length = 0;
  #firstHeading: string | undefined;
  #isInList = false;

  /**
   * @param name Name of the file, for errors.
   * @param maxChars Maximum length of the text, in UTF-16 code units.
   */
  constructor(name: string, maxChars: number) {
    this.#name = name;
    this.#maxChars = maxChars;
  }

  /** The text so far. */
  get text(): string {
    return this.#parts.join("").trimEnd();
  }

  /** Offsets of the pages or slides. */
  get pageStarts(): readonly number[] {
    const { length } = this.text;
    return this.#pageStarts.map((start) => Math.min(start, length));
  }

  /** Whether no text has been added. */
  get isEmpty(): boolean {
    return this.#length === 0;
  }

  /** The first heading. */
  get firstHeading(): string | undefined {
    return this.#firstHeading;
  }

  /** Starts a page or slide. */
  startPage(): void {
    this.#separate(false);
    this.#pageStarts.push(this.#length);
  }

  /** Adds a heading, level 1 to 6. */
  heading(level: number, text: string): void {
    const words = oneLine(text);
    if (words === "") return;
    this.#firstHeading ??= words;
    this.#add(`${"#".repeat(Math.min(Math.max(level, 1), 6))} ${words}`, false);
  }

  /** Adds a paragraph; its lines are trimmed, empty ones are removed. */
  paragraph(text: string): void {
    this.#add(escapeBlocks(trimLines(text)), false);
  }

  /**
   * Adds an item of a list.
   *
   * @param level 0 for the outermost list.
   * @param mark `-` or a number such as `3.`.
   */
  item(level: number, mark: string, text: string): void {
    const lines = trimLines(text).split("\n");
    if (lines[0] === "") return;
    const indent = "  ".repeat(Math.min(Math.max(level, 0), 8));
    const hanging = `\n${indent}${" ".repeat(mark.length + 1)}`;
    this.#add(`${indent}${mark} ${lines.join(hanging)}`, true);
  }

  /** Adds a quotation, used for comments and speaker notes. */
  quote(text: string): void {
    const lines = trimLines(text);
    if (lines !== "") this.#add(`> ${lines.replaceAll("\n", "\n> ")}`, false);
  }

  /** Adds lines of code as a fence. */
  fence(lines: readonly string[]): void {
    this.#add(fencedCode(lines.join("\n")), false);
  }

  /** Adds a table or other finished Markdown. */
  block(markdown: string): void {
    this.#add(markdown, false);
  }

  #add(block: string, isItem: boolean): void {
    const text = normalizeText(block);
    if (text.trim() === "") return;
    this.#separate(isItem);
    this.#isInList = isItem;
    this.#push(text);
    if (this.#length > this.#maxChars) throw tooLongText(this.#name, this.#maxChars);
  }

  /** Ends the last block: items of a list follow each other without an empty line. */
  #separate(isItem: boolean): void {
    if (this.#length === 0 || this.#parts.at(-1) === "\n\n") return;
    this.#push(isItem && this.#isInList ? "\n" : "\n\n");
  }

  #push(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
  }
}

/** Trims the lines of a text, collapses white space in them and removes empty ones. */
function trimLines(text: string): string {
  return text.split("\n").map(oneLine).filter((line) => line !== "").join("\n");
}
