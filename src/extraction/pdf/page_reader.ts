import { encrypted, type ExtractionError } from "../errors.ts";
import type { Bookmark, PdfPage, PdfReader } from "./page.ts";
import { openWithPdfium, PdfiumError } from "./pdfium.ts";
import { openWithPdfJs } from "./pdfjs.ts";
import { type Readability, resolveUnmapped } from "./unmapped.ts";

/** Pages that both parsers fail to read in a row, after which only PDFium is tried. */
const MAX_FAILED_FALLBACKS = 8;

/** Whether the text of a page can be read; `failed` if the page is damaged. */
export type PageState = Readability | "failed";

/** A page with its state. */
export interface ReadPage {
  readonly page: PdfPage;
  readonly state: PageState;
}

const EMPTY_PAGE: PdfPage = { runs: [], unmappedShare: 0, isPicture: false };

/**
 * Reads the pages of a file with PDFium, and with PDF.js those that PDFium cannot read: PDFium is faster and knows the
 * character maps of Chinese, Japanese and Korean; PDF.js repairs page trees that PDFium refuses.
 */
export class PageReader implements AsyncDisposable {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #pdfium: PdfReader | undefined;
  #pdfJs: Promise<PdfReader> | undefined;
  #failedFallbacks = 0;
  #hasCrashed = false;
  /** Number of pages. */
  readonly pageCount: number;

  private constructor(
    bytes: Uint8Array<ArrayBuffer>,
    readers: { pdfium: PdfReader | undefined; pdfJs: PdfReader | undefined },
  ) {
    this.#bytes = bytes;
    this.#pdfium = readers.pdfium;
    this.#pdfJs = readers.pdfJs && Promise.resolve(readers.pdfJs);
    this.pageCount = (readers.pdfium ?? readers.pdfJs)!.pageCount;
  }

  /**
   * Opens a file. PDF.js detaches its bytes.
   *
   * @throws {ExtractionError} `encrypted`.
   * @throws {Error} Of PDF.js, if neither parser can open the file.
   */
  static async open(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<PageReader> {
    try {
      const pdfium = await openWithPdfium(bytes);
      if (pdfium.pageCount > 0) return new PageReader(bytes, { pdfium, pdfJs: undefined });
      await pdfium[Symbol.asyncDispose]();
    } catch (error) {
      if (error instanceof PdfiumError && error.isPassword) throw encrypted(name, error);
    }
    return new PageReader(bytes, { pdfium: undefined, pdfJs: await openFallback(bytes, name) });
  }

  /** Reads a page with the parser that can. */
  async read(index: number): Promise<ReadPage> {
    const first = this.#pdfium && !this.#hasCrashed ? await this.#tryRead(this.#pdfium, index) : undefined;
    if (first && (first.state === "readable" || this.#failedFallbacks >= MAX_FAILED_FALLBACKS)) return first;
    const second = await this.#tryFallback(index);
    if (second?.state === "readable" && second.page.runs.length > 0) {
      this.#failedFallbacks = 0;
      return second;
    }
    this.#failedFallbacks++;
    return first ?? second ?? { page: EMPTY_PAGE, state: "failed" };
  }

  /** Draws a page for OCR as a PGM image; undefined if that is not possible. */
  async draw(index: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return this.#hasCrashed ? undefined : await this.#optional((reader) => reader.drawPage(index));
  }

  /** Returns the bookmarks, or none if they are damaged. */
  async bookmarks(): Promise<readonly Bookmark[]> {
    return await this.#optional((reader) => reader.bookmarks()) ?? [];
  }

  /** Returns the properties, or none if they are damaged: a document without valid ones is still extracted. */
  async properties(): Promise<Readonly<Record<string, unknown>>> {
    return await this.#optional((reader) => reader.properties()) ?? {};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pdfium?.[Symbol.asyncDispose]();
    await (await this.#pdfJs?.catch(() => undefined))?.[Symbol.asyncDispose]();
  }

  async #optional<T>(read: (reader: PdfReader) => Promise<T>): Promise<T | undefined> {
    try {
      const reader = this.#hasCrashed ? await this.#pdfJs : this.#pdfium ?? await this.#pdfJs;
      return reader && await read(reader);
    } catch (error) {
      this.#noteCrash(error);
      return undefined;
    }
  }

  async #tryRead(reader: PdfReader, index: number): Promise<ReadPage> {
    try {
      return resolveUnmapped(await reader.readPage(index));
    } catch (error) {
      this.#noteCrash(error);
      return { page: EMPTY_PAGE, state: "failed" };
    }
  }

  async #tryFallback(index: number): Promise<ReadPage | undefined> {
    try {
      const reader = await (this.#pdfJs ??= openWithPdfJs(this.#bytes));
      return index < reader.pageCount ? await this.#tryRead(reader, index) : undefined;
    } catch {
      return undefined;
    }
  }

  #noteCrash(error: unknown): void {
    this.#hasCrashed ||= error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
  }
}

async function openFallback(bytes: Uint8Array<ArrayBuffer>, name: string): Promise<PdfReader> {
  try {
    return await openWithPdfJs(bytes);
  } catch (error) {
    if (error instanceof Error && error.name === "PasswordException") {
      throw encrypted(name, error) satisfies ExtractionError;
    }
    throw error;
  }
}
