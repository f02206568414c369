import type { Bookmark, PdfPage, PdfReader } from "./page.ts";
import { dropPdfium, loadPdfium, type Pdfium, releasePdfium } from "./pdfium_module.ts";
import { drawPage } from "./pdfium_drawing.ts";
import { RunReader } from "./pdfium_runs.ts";

/** `FPDF_ERR_PASSWORD` of `fpdfview.h`. */
const PASSWORD_ERROR = 4;
/** Maximum number of bookmarks that are read. Their tree may contain cycles. */
const MAX_BOOKMARKS = 20_000;
const MAX_BOOKMARK_LEVEL = 6;
/** Maximum length of a bookmark's title and of a property, in bytes of UTF-16. */
const MAX_STRING_BYTES = 8_192;
/** Annotations whose text belongs to the page: `FPDF_ANNOT_FREETEXT` and `FPDF_ANNOT_WIDGET`. */
const TEXT_ANNOTATIONS = new Set([3, 20]);
/** Maximum number of annotations of a page that are searched for one with text. */
const MAX_ANNOTATIONS = 500;
/** Programs that scan print their name or a date on each page: a page with at most this text may be a picture. */
const MAX_STAMP_CHARS = 100;
/** Share of a page that such a picture covers. */
const MIN_PICTURE_SHARE = 0.6;
/** Maximum number of objects that are searched for it. */
const MAX_OBJECTS = 50;
/** `FPDF_PAGEOBJ_IMAGE`. */
const IMAGE_OBJECT = 3;
/** Entries of the information dictionary (ISO 32000-1, 14.3.3). */
const PROPERTIES = [
  "Title",
  "Author",
  "Subject",
  "Keywords",
  "Creator",
  "Producer",
  "CreationDate",
  "ModDate",
];

/** A file that PDFium cannot open. */
export class PdfiumError extends Error {
  /** Always `PdfiumError`. */
  override name = "PdfiumError";
  /** Whether the file needs a password. */
  readonly isPassword: boolean;

  /** `code` is PDFium's. */
  constructor(code: number) {
    super(`PDFium cannot open the file: error ${code}`);
    this.isPassword = code === PASSWORD_ERROR;
  }
}

/**
 * Opens a PDF file with PDFium.
 *
 * @throws {PdfiumError} If PDFium refuses the file.
 * @throws {WebAssembly.RuntimeError} If PDFium crashed, also from the methods of the reader.
 */
export async function openWithPdfium(bytes: Uint8Array): Promise<PdfReader> {
  const pdfium = await loadPdfium();
  const { functions, heap } = pdfium;
  return guard(() => {
    const data = functions.malloc(bytes.length);
    if (data === 0) throw new PdfiumError(0);
    heap().set(bytes, data);
    const handle = functions.FPDF_LoadMemDocument(data, bytes.length, 0);
    if (handle !== 0) return new PdfiumReader(pdfium, { handle, data });
    const error = new PdfiumError(functions.FPDF_GetLastError());
    functions.free(data);
    releasePdfium(pdfium);
    throw error;
  });
}

class PdfiumReader implements PdfReader {
  readonly pageCount: number;
  readonly #pdfium: Pdfium;
  readonly #handle: number;
  readonly #data: number;
  readonly #runs: RunReader;
  #hasFailed = false;

  constructor(pdfium: Pdfium, { handle, data }: { handle: number; data: number }) {
    this.#pdfium = pdfium;
    this.#handle = handle;
    this.#data = data;
    this.#runs = new RunReader(pdfium);
    this.pageCount = pdfium.functions.FPDF_GetPageCount(handle);
  }

  readPage(index: number): Promise<PdfPage> {
    return this.#run(({ FPDF_LoadPage, FPDF_ClosePage, FPDFPage_Flatten }) => {
      let page = FPDF_LoadPage(this.#handle, index);
      if (page === 0) throw new Error(`PDFium cannot load page ${index + 1}`);
      if (this.#hasTextAnnotations(page)) {
        // Draws what people filled in into the page, as on screen.
        FPDFPage_Flatten(page, 0);
        FPDF_ClosePage(page);
        page = FPDF_LoadPage(this.#handle, index);
        if (page === 0) throw new Error(`PDFium cannot load page ${index + 1}`);
      }
      try {
        return this.#readText(page);
      } finally {
        FPDF_ClosePage(page);
      }
    });
  }

  drawPage(index: number): Promise<Uint8Array<ArrayBuffer> | undefined> {
    return this.#run(({ FPDF_LoadPage, FPDF_ClosePage }) => {
      const page = FPDF_LoadPage(this.#handle, index);
      if (page === 0) return undefined;
      try {
        return drawPage(this.#pdfium, page);
      } finally {
        FPDF_ClosePage(page);
      }
    });
  }

  bookmarks(): Promise<readonly Bookmark[]> {
    return this.#run((functions) => {
      const bookmarks: Bookmark[] = [];
      const seen = new Set<number>();
      const visit = (first: number, level: number) => {
        for (let each = first; each !== 0 && !seen.has(each); each = this.#nextBookmark(each)) {
          if (seen.size >= MAX_BOOKMARKS) return;
          seen.add(each);
          const title = this.#string((buffer, bytes) => functions.FPDFBookmark_GetTitle(each, buffer, bytes));
          const page = this.#targetPage(each);
          if (page >= 0 && title.trim() !== "") bookmarks.push({ title, level, page });
          if (level < MAX_BOOKMARK_LEVEL) {
            visit(functions.FPDFBookmark_GetFirstChild(this.#handle, each), level + 1);
          }
        }
      };
      visit(functions.FPDFBookmark_GetFirstChild(this.#handle, 0), 1);
      return bookmarks;
    });
  }

  properties(): Promise<Readonly<Record<string, unknown>>> {
    return this.#run(({ malloc, free, FPDF_GetMetaText }) => {
      const found: Record<string, unknown> = {};
      for (const name of PROPERTIES) {
        const tag = malloc(name.length + 1);
        this.#pdfium.heap().set(new TextEncoder().encode(`${name}\0`), tag);
        found[name] = this.#string((buffer, bytes) => FPDF_GetMetaText(this.#handle, tag, buffer, bytes));
        free(tag);
      }
      return found;
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    if (this.#hasFailed) return Promise.resolve();
    return this.#run(({ FPDF_CloseDocument, free }) => {
      FPDF_CloseDocument(this.#handle);
      free(this.#data);
      releasePdfium(this.#pdfium);
    });
  }

  #readText(page: number): PdfPage {
    const { FPDFText_LoadPage, FPDFText_ClosePage } = this.#pdfium.functions;
    const textPage = FPDFText_LoadPage(page);
    if (textPage === 0) throw new Error("PDFium cannot load the text of a page");
    const { runs, chars, unmapped } = this.#runs.read(textPage);
    FPDFText_ClosePage(textPage);
    return {
      runs,
      unmappedShare: unmapped / Math.max(chars, 1),
      isPicture: chars <= MAX_STAMP_CHARS && this.#isPicture(page, chars),
    };
  }

  /** Whether a page without text shows anything, or one with a stamp a picture that covers most of it. */
  #isPicture(page: number, chars: number): boolean {
    const functions = this.#pdfium.functions;
    const count = functions.FPDFPage_CountObjects(page);
    if (chars === 0) return count > 0;
    const area = functions.FPDF_GetPageWidthF(page) * functions.FPDF_GetPageHeightF(page);
    const at = functions.malloc(16);
    try {
      for (let index = 0; index < Math.min(count, MAX_OBJECTS); index++) {
        const object = functions.FPDFPage_GetObject(page, index);
        if (object === 0 || functions.FPDFPageObj_GetType(object) !== IMAGE_OBJECT) continue;
        functions.FPDFPageObj_GetBounds(object, at, at + 4, at + 8, at + 12);
        const [left = 0, bottom = 0, right = 0, top = 0] = new Float32Array(
          this.#pdfium.heap().buffer,
          at,
          4,
        );
        if ((right - left) * (top - bottom) > area * MIN_PICTURE_SHARE) return true;
      }
      return false;
    } finally {
      functions.free(at);
    }
  }

  #hasTextAnnotations(page: number): boolean {
    const functions = this.#pdfium.functions;
    const count = Math.min(functions.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS);
    for (let index = 0; index < count; index++) {
      const annotation = functions.FPDFPage_GetAnnot(page, index);
      if (annotation === 0) continue;
      const kind = functions.FPDFAnnot_GetSubtype(annotation);
      functions.FPDFPage_CloseAnnot(annotation);
      if (TEXT_ANNOTATIONS.has(kind)) return true;
    }
    return false;
  }

  #nextBookmark(bookmark: number): number {
    return this.#pdfium.functions.FPDFBookmark_GetNextSibling(this.#handle, bookmark);
  }

  /** Returns the index of the page that a bookmark leads to, or -1. */
  #targetPage(bookmark: number): number {
    const functions = this.#pdfium.functions;
    let target = functions.FPDFBookmark_GetDest(this.#handle, bookmark);
    if (target === 0) {
      const action = functions.FPDFBookmark_GetAction(bookmark);
      if (action !== 0) target = functions.FPDFAction_GetDest(this.#handle, action);
    }
    return target === 0 ? -1 : functions.FPDFDest_GetDestPageIndex(this.#handle, target);
  }

  /** Reads a UTF-16 string with a trailing NUL, which `read` writes into a buffer. */
  #string(read: (buffer: number, bytes: number) => number): string {
    const { malloc, free } = this.#pdfium.functions;
    const buffer = malloc(MAX_STRING_BYTES);
    try {
      const bytes = read(buffer, MAX_STRING_BYTES);
      if (bytes < 2 || bytes > MAX_STRING_BYTES) return "";
      return new TextDecoder("utf-16le").decode(this.#pdfium.heap().slice(buffer, buffer + bytes - 2));
    } finally {
      free(buffer);
    }
  }

  async #run<T>(action: (functions: Pdfium["functions"]) => T): Promise<T> {
    return await guard(() => action(this.#pdfium.functions), () => this.#hasFailed = true);
  }
}

/** Runs code in PDFium, and drops the instance if that crashes. */
function guard<T>(action: () => T, onCrash?: () => void): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
      dropPdfium();
      onCrash?.();
    }
    throw error;
  }
}
