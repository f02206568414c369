import { oneLine } from "../../whitespace.ts";
import type { XmlElement } from "../../xml/element.ts";
import { fontSizeOf, type WordStyles } from "./styles.ts";

/** Number of paragraphs that count as the first page. */
const MAX_PARAGRAPHS = 12;
/** Minimum ratio of a title's size to that of the other paragraphs. */
const MIN_RATIO = 1.2;
/** Maximum length of a title. */
const MAX_CHARS = 200;

/** Finds the title of a document without headings: the text of the first page that is larger than the rest. */
export class LargestText {
  readonly #styles: WordStyles;
  readonly #paragraphs: { size: number; text: string }[] = [];

  constructor(styles: WordStyles) {
    this.#styles = styles;
  }

  /** Adds a paragraph with text. */
  add(paragraph: XmlElement, text: string): void {
    if (this.#paragraphs.length >= MAX_PARAGRAPHS) return;
    const run = paragraph.descendants("w:r").find((each) => each.child("w:t"));
    const size = fontSizeOf(run?.child("w:rPr")) ?? this.#styles.fontSizeOf(paragraph.child("w:pPr"));
    this.#paragraphs.push({ size, text: oneLine(text) });
  }

  /** The largest text; `undefined` if nothing stands out. */
  get text(): string | undefined {
    const sizes = this.#paragraphs.map(({ size }) => size).sort((a, b) => a - b);
    const usual = sizes[sizes.length >> 1] ?? 0;
    const largest = this.#paragraphs.find(({ size }) => size === sizes.at(-1));
    return largest && largest.size >= MIN_RATIO * usual && largest.text.length <= MAX_CHARS
      ? largest.text
      : undefined;
  }
}
