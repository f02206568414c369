/**
 * Extracts text from files and splits text into chunks. Does not depend on the engine.
 *
 * @module
 */
export { generateChunks } from "./chunking/chunk.ts";
export { tooManyBytes, tooManyFiles } from "./contained_files.ts";
export { DETECTION_BYTES } from "./detect.ts";
export { formatFrontMatter } from "./format_front_matter.ts";
export { displayName, EXTRACTION_ERROR_CODES, ExtractionError, type ExtractionErrorCode } from "./errors.ts";
export {
  checkStart,
  extract,
  extractSmallText,
  isLongText,
  isTextName,
  MAX_SMALL_TEXT_BYTES,
} from "./extract.ts";
export { MAX_CONTAINED_DEPTH, MAX_CONTAINED_FILES } from "./limits.ts";
export { type LongTextDocument, type LongTextFile, type LongTextPart, readLongText } from "./long_text.ts";
export * from "./notes/mod.ts";
export { Ocr, type OcrLanguage, type OcrOptions, type OcrText, readLanguageData } from "./ocr/mod.ts";
export { isDocumentName } from "./supported_name.ts";
export type {
  ContainedFile,
  ContainedFileLimits,
  ExtractedText,
  ExtractionContext,
  ExtractionProgress,
  OutlineEntry,
  SourceFile,
} from "./types.ts";
