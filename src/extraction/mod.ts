/**
 * Extracts text from files and splits text into chunks. Does not depend on the engine.
 *
 * @module
 */
export { chunkText } from "./chunking/chunk.ts";
export type { ChunkDraft, ChunkOptions, ChunkSource } from "./chunking/types.ts";
export { DETECTION_BYTES } from "./detect.ts";
export { displayName, ExtractionError, type ExtractionErrorCode } from "./errors.ts";
export { checkStart, extract } from "./extract.ts";
export {
  type FrontMatter,
  frontMatterTags,
  loadFrontMatter,
  mayHaveFrontMatter,
  readFrontMatterSync,
} from "./front_matter.ts";
export { MAX_METADATA_CHARS } from "./limits.ts";
export { cleanTitle, noteTitle } from "./title.ts";
export type { ExtractedText, SourceFile } from "./types.ts";
