/**
 * The PDFium library as WebAssembly, one instance at a time.
 *
 * Threat: a damaged file makes the C++ code abort or corrupt its heap, and the next file would suffer. An instance is
 * dropped after any error in it, and when its memory, which never shrinks, has grown.
 *
 * @module
 */

/** An instance is dropped after a document that made its memory grow beyond this, in bytes. */
const MAX_KEPT_MEMORY = 64 * 2 ** 20;

/** Functions of PDFium's C interface (`fpdfview.h`, `fpdf_text.h`, `fpdf_doc.h`). Handles and pointers are numbers. */
type Functions = Record<
  | "malloc"
  | "free"
  | "FPDF_InitLibraryWithConfig"
  | "FPDF_LoadMemDocument"
  | "FPDF_CloseDocument"
  | "FPDF_GetLastError"
  | "FPDF_GetPageCount"
  | "FPDF_GetMetaText"
  | "FPDF_LoadPage"
  | "FPDF_ClosePage"
  | "FPDF_GetPageWidthF"
  | "FPDF_GetPageHeightF"
  | "FPDF_RenderPageBitmap"
  | "FPDFBitmap_CreateEx"
  | "FPDFBitmap_Destroy"
  | "FPDFBitmap_FillRect"
  | "FPDFBitmap_GetBuffer"
  | "FPDFBitmap_GetStride"
  | "FPDFPage_CountObjects"
  | "FPDFPage_GetObject"
  | "FPDFPageObj_GetType"
  | "FPDFPageObj_GetBounds"
  | "FPDFPage_GetAnnotCount"
  | "FPDFPage_GetAnnot"
  | "FPDFPage_CloseAnnot"
  | "FPDFPage_Flatten"
  | "FPDFAnnot_GetSubtype"
  | "FPDFText_LoadPage"
  | "FPDFText_ClosePage"
  | "FPDFText_CountChars"
  | "FPDFText_GetUnicode"
  | "FPDFText_GetTextObject"
  | "FPDFText_GetLooseCharBox"
  | "FPDFText_GetCharOrigin"
  | "FPDFText_GetMatrix"
  | "FPDFText_HasUnicodeMapError"
  | "FPDFTextObj_GetFont"
  | "FPDFTextObj_GetFontSize"
  | "FPDFFont_GetFlags"
  | "FPDFFont_GetWeight"
  | "FPDFFont_GetBaseFontName"
  | "FPDFBookmark_GetFirstChild"
  | "FPDFBookmark_GetNextSibling"
  | "FPDFBookmark_GetTitle"
  | "FPDFBookmark_GetDest"
  | "FPDFBookmark_GetAction"
  | "FPDFAction_GetDest"
  | "FPDFDest_GetDestPageIndex",
  (...args: number[]) => number
>;

/** An instance of PDFium. */
export interface Pdfium {
  readonly functions: Functions;
  /** Memory of the instance. The array changes when the memory grows. */
  readonly heap: () => Uint8Array<ArrayBuffer>;
}

let compiled: Promise<WebAssembly.Module> | undefined;
let instance: Promise<Pdfium> | undefined;

/** Returns the instance, which the first call starts. */
export function loadPdfium(): Promise<Pdfium> {
  return instance ??= start();
}

/** Drops the instance after an error, so that the next file gets a fresh one. */
export function dropPdfium(): void {
  instance = undefined;
}

/** Drops an instance whose memory has grown. */
export function releasePdfium({ heap }: Pdfium): void {
  if (heap().length > MAX_KEPT_MEMORY) dropPdfium();
}

async function start(): Promise<Pdfium> {
  const { PDFiumModule } = await import("@hyzyla/pdfium");
  const module = await (compiled ??= compile());
  const pdfium = await PDFiumModule({
    // Compiled once, although each file may need an instance of its own.
    instantiateWasm: (imports, done) => {
      WebAssembly.instantiate(module, imports).then((created) =>
        (done as unknown as (i: unknown, m: unknown) => void)(
          created,
          module,
        )
      );
      return {};
    },
  });
  const functions = pdfium.wasmExports as unknown as Functions;
  functions.FPDF_InitLibraryWithConfig(0);
  return { functions, heap: () => pdfium.HEAPU8 as Uint8Array<ArrayBuffer> };
}

async function compile(): Promise<WebAssembly.Module> {
  const { PDFIUM_WASM_BASE64 } = await import("@hyzyla/pdfium/dist/pdfium.wasm.base64-B4io7kt4.js");
  return await WebAssembly.compile(Uint8Array.fromBase64(PDFIUM_WASM_BASE64));
}
