import { oneLine } from "../whitespace.ts";
import type { Bookmark, PdfPage, PdfReader, TextRun } from "./page.ts";

type PdfDocument = Awaited<ReturnType<typeof import("unpdf").getDocumentProxy>>;

/** A text item of PDF.js. `transform` is its matrix (ISO 32000-1, 8.3.3). */
interface TextItem {
  /** Undefined for structure markers. */
  readonly str?: string;
  readonly width: number;
  readonly fontName: string;
  readonly transform: readonly number[];
}

/** A narrower gap between items, relative to the size of the font, is no space. */
const MIN_SPACE = 0.16;
/** A wider gap ends a run. */
const MAX_GAP = 0.85;
const MAX_SHIFT = 0.45;

/**
 * Opens a PDF file with PDF.js, which rebuilds page trees and cross-reference tables that PDFium refuses. Detaches the
 * bytes.
 *
 * @throws {Error} `PasswordException` or another error of PDF.js.
 */
export async function openWithPdfJs(bytes: Uint8Array<ArrayBuffer>): Promise<PdfReader> {
  const { getResolvedPDFJS } = await import("unpdf");
  const { getDocument } = await getResolvedPDFJS();
  const loading = getDocument({
    data: bytes,
    verbosity: 0,
    // Text only: nothing is rendered, fetched or run.
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    useWasm: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    enableXfa: false,
    maxImageSize: 1,
  });
  try {
    return new PdfJsReader(await loading.promise, () => loading.destroy());
  } catch (error) {
    await loading.destroy();
    throw error;
  }
}

class PdfJsReader implements PdfReader {
  readonly pageCount: number;
  readonly #pdf: PdfDocument;
  readonly #close: () => Promise<void>;

  constructor(pdf: PdfDocument, close: () => Promise<void>) {
    this.#pdf = pdf;
    this.#close = close;
    this.pageCount = pdf.numPages;
  }

  async readPage(index: number): Promise<PdfPage> {
    const page = await this.#pdf.getPage(index + 1);
    const { items, styles } = await page.getTextContent();
    const isMonospaced = (font: string) => styles[font]?.fontFamily === "monospace";
    const runs = toRuns(items as TextItem[], isMonospaced);
    // Releases fonts and pictures, which would otherwise stay in memory until the last page.
    page.cleanup();
    const text = runs.map((run) => run.text).join("");
    const unmapped = text.match(/[\ufffd\uffff\ue000-\uf8ff]|\p{Cc}/gu)?.length ?? 0;
    return { runs, unmappedShare: unmapped / Math.max(text.length, 1), isPicture: runs.length === 0 };
  }

  drawPage(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  // A file that only PDF.js can read has lost more than its bookmarks.
  bookmarks(): Promise<readonly Bookmark[]> {
    return Promise.resolve([]);
  }

  async properties(): Promise<Readonly<Record<string, unknown>>> {
    return (await this.#pdf.getMetadata()).info as Record<string, unknown>;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }
}

/** Joins the items of a line. */
function toRuns(items: readonly TextItem[], isMonospaced: (font: string) => boolean): TextRun[] {
  const runs: { -readonly [Key in keyof TextRun]: TextRun[Key] }[] = [];
  for (const { str, width, fontName, transform } of items) {
    if (str === undefined || str.trim() === "") continue;
    const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = transform;
    const size = Math.hypot(c, d) || Math.hypot(a, b) || 1;
    const last = runs.at(-1);
    const em = Math.max(size, last?.size ?? 0);
    const gap = last ? Math.max(x - last.right, last.left - (x + width)) : 0;
    if (last && Math.abs(last.y - y) <= em * MAX_SHIFT && gap <= em * MAX_GAP && gap >= -em) {
      last.text += (gap > em * MIN_SPACE && !/\s$/.test(last.text) ? " " : "") + str;
      last.left = Math.min(last.left, x);
      last.right = Math.max(last.right, x + width);
      continue;
    }
    runs.push({
      text: str,
      left: x,
      right: x + width,
      y,
      size,
      isBold: false,
      isMonospaced: isMonospaced(fontName),
    });
  }
  return runs.map((run) => ({ ...run, text: oneLine(run.text) }));
}
