/**
 * Extracts text from files and splits text into chunks. Does not depend on the engine.
 *
 * @module
 */
export { type Block, scanBlocks } from "./chunking/blocks.ts";
export { chunkText, generateChunks } from "./chunking/chunk.ts";
export type { ChunkDraft, ChunkOptions, ChunkSource, TextRange } from "./chunking/types.ts";
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
export {
  type FrontMatter,
  frontMatterTags,
  loadFrontMatter,
  mayHaveFrontMatter,
  readFrontMatterSync,
} from "./front_matter.ts";
export { MAX_CONTAINED_DEPTH, MAX_CONTAINED_FILES, MAX_METADATA_CHARS } from "./limits.ts";
export { type LongTextDocument, type LongTextFile, type LongTextPart, readLongText } from "./long_text.ts";
export { Ocr, type OcrLanguage, type OcrOptions, type OcrText, readLanguageData } from "./ocr/mod.ts";
export { storedText } from "./stored_text.ts";
export { isDocumentName } from "./supported_name.ts";
export { cleanTitle, headingTitle, noteTitle } from "./title.ts";
export type {
  ContainedFile,
  ContainedFileLimits,
  ExtractedText,
  ExtractionContext,
  ExtractionProgress,
  OutlineEntry,
  SourceFile,
} from "./types.ts";
