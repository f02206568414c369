/**
 * Extracts text from files, and splits texts into chunks.
 *
 * @module
 */
export { DOC_TYPES, type DocType } from "../contract/mod.ts";
export { chunkText } from "./chunking/chunk.ts";
export { approximateTokens } from "./chunking/tokens.ts";
export { cleanTitle } from "./document_title.ts";
export { extract } from "./extract.ts";
export { frontMatterTags, loadFrontMatter, mayHaveFrontMatter, readFrontMatterSync } from "./front_matter.ts";
export { noteTitle } from "./title.ts";
export {
  type ChunkDraft,
  type ChunkOptions,
  type ChunkSource,
  type ExtractedText,
  ExtractionError,
  type ExtractionErrorCode,
  type SourceFile,
} from "./types.ts";
