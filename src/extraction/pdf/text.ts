import { documentTitle } from "../document_title.ts";
import { checkLength, normalizeText } from "../normalize.ts";
import type { ExtractionContext } from "../types.ts";
import { type Block, toBlocks } from "./blocks.ts";
import { Headings } from "./headings.ts";
import { isHyphenated, joinLines } from "./join_lines.ts";
import { toMarkdown } from "./markdown.ts";
import type { Bookmark, TextRun } from "./page.ts";
import { withoutRunningLines } from "./running_lines.ts";

/** Separates pages. */
const PAGE_BREAK = "\n\n";
/** Share of characters in fonts with fixed width from which such fonts do not mark code. */
const MAX_CODE = 0.5;
/** Number of pages that are searched for a title. */
const TITLE_PAGES = 2;
const MAX_TITLE_LINES = 4;
/** Letters joined to one glyph, Arabic presentation forms and Kangxi radicals, which are no letters for a search. */
const COMPATIBILITY = /[\u2f00-\u2fd5\ufb00-\ufb06\ufb1d-\ufdfb\ufe70-\ufefc]+/g;

/** Text of a PDF, built from its pages in order. */
export class PdfText {
  readonly #headings: Headings;
  readonly #context: Pick<ExtractionContext, "name" | "maxTextChars">;
  readonly #parts: string[] = [];
  readonly #pageStarts: number[] = [];
  #length = 0;
  #lastLine = "";
  #hasCode: boolean | undefined;
  #titleBlocks: Block[] = [];

  /** `context` has the limit for the length of the text. */
  constructor(bookmarks: readonly Bookmark[], context: Pick<ExtractionContext, "name" | "maxTextChars">) {
    this.#headings = new Headings(bookmarks);
    this.#context = context;
  }

  /** Adds consecutive pages, which are compared with each other. */
  add(pages: readonly (readonly TextRun[])[]): void {
    const first = this.#pageStarts.length;
    const runs = withoutRunningLines(pages);
    const hasCode = this.#hasCode ??= monospacedShare(runs) < MAX_CODE;
    const read = runs.map((each, index) => ({ index: first + index, blocks: toBlocks(each, { hasCode }) }));
    this.#headings.learn(read);
    if (first === 0) {
      this.#headings.rank(read);
      this.#titleBlocks = read.filter(({ blocks }) => blocks.length > 0).slice(0, TITLE_PAGES)[0]?.blocks ??
        [];
    }
    for (const { index, blocks } of read) this.#addPage(blocks, index);
  }

  /** Returns the text with the offset of each page. */
  finish(): { markdown: string; pageStarts: number[] } {
    return { markdown: this.#parts.join(""), pageStarts: this.#pageStarts };
  }

  /** Returns the largest text of the first page with text, if it is larger than the body. */
  firstPageTitle(filename: string | undefined): string | undefined {
    const blocks = this.#titleBlocks.filter((block) => block.kind === "text");
    const sizes = blocks.flatMap(({ lines }) =>
      lines.map(({ size, text }) => /\p{L}{2}|\p{Lo}/u.test(text) ? size : 0)
    );
    const largest = Math.max(0, ...sizes);
    if (largest === 0 || largest < this.#headings.bodySize * 1.08) return undefined;
    const start = blocks.findIndex(({ lines }) => lines.some(({ size }) => size > largest * 0.97));
    const lines = blocks.slice(start).flatMap(({ lines }) => lines);
    const from = lines.findIndex(({ size }) => size > largest * 0.97);
    let end = from;
    while (end < lines.length && end - from < MAX_TITLE_LINES && lines[end]!.size > largest * 0.97) end++;
    return documentTitle(
      normalizePage(lines.slice(from, end).map(({ text }) => text).reduce(joinLines)),
      filename,
    );
  }

  #addPage(blocks: readonly Block[], index: number): void {
    const levels = blocks.map((block) => this.#headings.levelOf(block, index));
    const page = normalizePage(blocks.map((block, at) => toMarkdown(block, levels[at])).join("\n\n")).trim();
    const isText = (at: number) => blocks.at(at)?.kind === "text" && levels.at(at) === undefined;
    this.#separate(page, isText(0));
    this.#pageStarts.push(this.#length);
    this.#push(page);
    this.#lastLine = isText(-1) ? page.slice(-200) : "";
    checkLength(this.#length, this.#context);
  }

  /** Ends the previous page, or joins the sentence that continues on the next one. */
  #separate(page: string, isText: boolean): void {
    if (this.#pageStarts.length === 0) return;
    const continues = isText && /^\p{Ll}/u.test(page) && /[\p{L}\p{N},-]$/u.test(this.#lastLine);
    if (continues && isHyphenated(this.#lastLine, page)) {
      this.#parts.push(this.#parts.pop()!.slice(0, -1));
      this.#length--;
    } else this.#push(continues ? " " : PAGE_BREAK);
  }

  #push(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
  }
}

function normalizePage(text: string): string {
  return normalizeText(text.replace(COMPATIBILITY, (letters) => letters.normalize("NFKC")))
    .replace(/\u00ad/g, "")
    // A mark is drawn over the letter before it.
    .replace(/(?<=\p{L}) (?=\p{Mn})/gu, "");
}

function monospacedShare(pages: readonly (readonly TextRun[])[]): number {
  let monospaced = 0;
  let chars = 0;
  for (const { text, isMonospaced } of pages.flat()) {
    chars += text.length;
    if (isMonospaced) monospaced += text.length;
  }
  return monospaced / Math.max(chars, 1);
}
