import type { OcrText } from "./read_tsv.ts";
import { readTsv } from "./read_tsv.ts";
import { type OcrLanguage, Tesseract } from "./tesseract.ts";

/** Options of {@linkcode Ocr}. */
export interface OcrOptions {
  /** Installed languages, at least one. Text in any of them is read. */
  readonly languages: readonly OcrLanguage[];
  /** Time for all images of a file, in milliseconds. */
  readonly timeoutMs: number;
  /** Clock, in milliseconds. @default {performance.now} */
  readonly now?: () => number;
}

/**
 * Reads text in images, page by page. A page that has begun is finished; the time limit is checked before each one,
 * and the timeout of the extraction process ends a page that takes too long.
 */
export class Ocr {
  readonly #options: OcrOptions;
  #tesseract: Promise<Tesseract> | undefined;
  #usedMs = 0;

  constructor(options: OcrOptions) {
    this.#options = options;
  }

  /** Codes of the languages. */
  get languages(): readonly string[] {
    return this.#options.languages.map(({ code }) => code);
  }

  /** Starts the time limit for the images of the next file. */
  reset(): void {
    this.#usedMs = 0;
  }

  /** Whether the time for the images of this file is used up. */
  get isOverTime(): boolean {
    return this.#usedMs >= this.#options.timeoutMs;
  }

  /**
   * Reads an image: PNG, JPEG, TIFF, WebP, GIF, BMP or PNM.
   *
   * @returns undefined when the image cannot be decoded.
   * @throws {Error} When Tesseract fails. The next image is read by a new instance: the memory of this one may be
   * damaged.
   */
  async recognize(image: Uint8Array): Promise<OcrText | undefined> {
    const { now = () => performance.now(), languages } = this.#options;
    const startedAt = now();
    try {
      const tesseract = await (this.#tesseract ??= Tesseract.load(languages));
      const tsv = tesseract.recognize(image);
      return tsv === undefined ? undefined : readTsv(tsv);
    } catch (error) {
      this.#tesseract = undefined;
      throw error;
    } finally {
      this.#usedMs += now() - startedAt;
    }
  }
}
