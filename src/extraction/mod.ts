/**
 * Extracts text from files and splits text into chunks. Does not depend on the engine.
 *
 * @module
 */
export { chunkText } from "./chunking/chunk.ts";
export type { ChunkDraft, ChunkOptions, ChunkSource } from "./chunking/types.ts";
export { ExtractionError, type ExtractionErrorCode } from "./errors.ts";
export { extract } from "./extract.ts";
export {
  type FrontMatter,
  frontMatterTags,
  loadFrontMatter,
  mayHaveFrontMatter,
  readFrontMatterSync,
} from "./front_matter.ts";
export { cleanTitle, noteTitle } from "./title.ts";
export type { ExtractedText, SourceFile } from "./types.ts";
