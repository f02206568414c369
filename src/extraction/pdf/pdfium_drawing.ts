import { MAX_DRAWN_PIXELS } from "../limits.ts";
import type { Pdfium } from "./pdfium_module.ts";

/** Resolution at which Tesseract reads best, in dots per point: 300 dpi. */
const DOTS_PER_POINT = 300 / 72;
/** `FPDFBitmap_Gray`: a byte per pixel. */
const GRAY = 1;
/** `FPDF_ANNOT`: with annotations. */
const WITH_ANNOTATIONS = 1;
const WHITE = 0xffffffff;

/**
 * Draws a page of PDFium as a gray image in PGM format, at most {@linkcode MAX_DRAWN_PIXELS} large.
 *
 * @returns undefined for a page without an area, or if there is not enough memory.
 */
export function drawPage({ functions, heap }: Pdfium, page: number): Uint8Array<ArrayBuffer> | undefined {
  const pageWidth = functions.FPDF_GetPageWidthF(page);
  const pageHeight = functions.FPDF_GetPageHeightF(page);
  if (!(pageWidth > 0 && pageHeight > 0)) return undefined;
  const scale = Math.min(DOTS_PER_POINT, Math.sqrt(MAX_DRAWN_PIXELS / (pageWidth * pageHeight)));
  const width = Math.floor(pageWidth * scale);
  const height = Math.floor(pageHeight * scale);
  if (width < 1 || height < 1) return undefined;
  const bitmap = functions.FPDFBitmap_CreateEx(width, height, GRAY, 0, 0);
  if (bitmap === 0) return undefined;
  try {
    functions.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
    functions.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, WITH_ANNOTATIONS);
    const stride = functions.FPDFBitmap_GetStride(bitmap);
    const pixels = functions.FPDFBitmap_GetBuffer(bitmap);
    const header = new TextEncoder().encode(`P5\n${width} ${height}\n255\n`);
    const image = new Uint8Array(header.length + width * height);
    image.set(header);
    for (let row = 0; row < height; row++) {
      const start = pixels + row * stride;
      image.set(heap().subarray(start, start + width), header.length + row * width);
    }
    return image;
  } finally {
    functions.FPDFBitmap_Destroy(bitmap);
  }
}
