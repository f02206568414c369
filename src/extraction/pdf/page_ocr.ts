import type { Ocr } from "../ocr/mod.ts";
import type { TextRun } from "./page.ts";
import type { PageReader } from "./page_reader.ts";

/** Size of the font that text from OCR is given, in points. */
const SIZE = 10;
const LINE_PITCH = 12;
const PARAGRAPH_PITCH = 24;
const CHAR_WIDTH = 5;

/** Reads pages without text by OCR, one after the other, until the time for them is used up. */
export class PageOcr {
  readonly #ocr: Ocr;
  readonly #reader: PageReader;
  readonly #confidences: number[] = [];
  /** Numbers, from 1, of the pages that were read. */
  readonly read: number[] = [];
  /** Numbers of the pages for which no time was left. */
  readonly skipped: number[] = [];

  constructor(ocr: Ocr, reader: PageReader) {
    this.#ocr = ocr;
    this.#reader = reader;
  }

  /** Mean confidence of the pages, from 0 to 1. */
  get confidence(): number {
    const sum = this.#confidences.reduce((total, each) => total + each, 0);
    return Math.round(sum / Math.max(this.#confidences.length, 1) * 100) / 100;
  }

  /** Metadata about the pages that were read. */
  get metadata(): Record<string, unknown> {
    return { languages: [...this.#ocr.languages], confidence: this.confidence, pages: this.read.length };
  }

  /** Returns the text of a page as runs, or undefined if it has none or no time is left. */
  async readPage(index: number): Promise<TextRun[] | undefined> {
    if (this.#ocr.isOverTime) {
      this.skipped.push(index + 1);
      return undefined;
    }
    try {
      const image = await this.#reader.draw(index);
      const found = image && await this.#ocr.recognize(image);
      if (!found || found.text.trim() === "") return undefined;
      this.read.push(index + 1);
      this.#confidences.push(found.confidence);
      return toRuns(found.text);
    } catch {
      // Tesseract has failed on this page: it counts as one without text.
      return undefined;
    }
  }
}

/** Lays out lines and paragraphs as a page. */
function toRuns(text: string): TextRun[] {
  const runs: TextRun[] = [];
  let y = 0;
  for (const line of text.split("\n")) {
    if (line.trim() === "") {
      y -= PARAGRAPH_PITCH - LINE_PITCH;
      continue;
    }
    runs.push({
      text: line.trim(),
      left: 0,
      right: line.length * CHAR_WIDTH,
      y,
      size: SIZE,
      isBold: false,
      isMonospaced: false,
    });
    y -= LINE_PITCH;
  }
  return runs;
}
