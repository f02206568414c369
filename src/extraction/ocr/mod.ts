/**
 * Optical character recognition with Tesseract in WebAssembly.
 *
 * @module
 */
export { type Bitmap, toPgm } from "./bitmap.ts";
export { readLanguageData } from "./language_file.ts";
export { Ocr, type OcrOptions } from "./ocr.ts";
export type { OcrText } from "./read_tsv.ts";
export type { OcrLanguage } from "./tesseract.ts";
