import { MAX_TEXT_CHARS } from "../limits.ts";
import { MarkdownWriter } from "../markdown/writer.ts";
import { tooLongText } from "../normalize.ts";
import { oneLine } from "../whitespace.ts";
import type { TableCell } from "../markdown/table.ts";
import { markdownTable } from "../markdown/table.ts";

/** Stands for the file in errors. */
const NAME = "the page";

/** Collects the text of a manual page as Markdown. */
export class PageWriter {
  readonly #writer = new MarkdownWriter(NAME, MAX_TEXT_CHARS);
  readonly #words: string[] = [];
  #code: string[] | undefined;
  #item: { readonly level: number; readonly mark: string; readonly tag: string } | undefined;
  #isGlued = false;
  #sections = 0;
  /** Length of the words and tags so far: `extract` would check them when they are joined, but some macros write sentences. */
  #chars = 0;
  /** Text of the first section: names and purpose. */
  purpose = "";

  /** The text so far. */
  get text(): string {
    return this.#writer.text;
  }

  /** Whether lines stay lines. */
  get isCode(): boolean {
    return this.#code !== undefined;
  }

  /**
   * Adds a line of text.
   *
   * @throws {ExtractionError} `too_large` if the page is longer than a document may be.
   */
  add(text: string, { isGlued = false }: { readonly isGlued?: boolean } = {}): void {
    this.#count(text);
    if (this.#code) {
      if (this.#isGlued && this.#code.length > 0) this.#code.push(`${this.#code.pop()}${text}`);
      else this.#code.push(text.trimEnd());
    } else if (text.trim() !== "") {
      this.#words.push(this.#isGlued || this.#words.length === 0 ? text : ` ${text}`);
    }
    this.#isGlued = isGlued;
  }

  /** Ends a line. */
  break(): void {
    this.#isGlued = false;
    if (this.#words.length > 0 && !this.#code) this.#words.push("\n");
  }

  /** Ends a paragraph or item. */
  end(): void {
    const text = this.#words.splice(0).join("");
    const item = this.#item;
    this.#item = undefined;
    this.#isGlued = false;
    if (this.#sections === 1 && this.purpose === "") this.purpose = oneLine(text);
    if (item) {
      const tag = item.tag === "" ? "" : `**${item.tag}**`;
      this.#writer.item(item.level, item.mark, [tag, text].filter((part) => part.trim() !== "").join(": "));
    } else this.#writer.paragraph(text);
  }

  /** Adds a heading of level 2 or 3. */
  heading(level: number, text: string): void {
    this.code(false);
    this.end();
    if (oneLine(text) === "") return;
    if (level === 2) this.#sections++;
    this.#writer.heading(level, text);
  }

  /** Starts an item of a list. */
  item(level: number, tag: string, mark = "-"): void {
    this.end();
    this.#count(tag);
    this.#item = { level, mark, tag: oneLine(tag) };
  }

  /** Starts or ends lines that stay as they are. */
  code(isOn: boolean): void {
    if (isOn === this.isCode) return;
    if (isOn) {
      this.end();
      this.#code = [];
      return;
    }
    const lines = this.#code ?? [];
    this.#code = undefined;
    const first = lines.findIndex((line) => line.trim() !== "");
    if (first >= 0) {
      this.#writer.fence(lines.slice(first, lines.findLastIndex((line) => line.trim() !== "") + 1));
    }
  }

  /** Adds a table. */
  table(rows: readonly (readonly TableCell[])[]): void {
    this.end();
    this.#writer.block(markdownTable(rows));
  }

  #count(text: string): void {
    this.#chars += text.length;
    if (this.#chars > MAX_TEXT_CHARS) throw tooLongText(NAME);
  }
}
