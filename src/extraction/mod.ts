/**
 * From a file's bytes to its text, and from a text to the chunks that search finds.
 *
 * @module
 */
export { DOC_TYPES, type DocType } from "../contract/mod.ts";
export { chunkText } from "./chunking/chunk.ts";
export { extract } from "./extract.ts";
export { noteTitle } from "./title.ts";
export { approximateTokens } from "./chunking/tokens.ts";
export {
  type ChunkDraft,
  type ChunkOptions,
  type ChunkSource,
  type ExtractedText,
  ExtractError,
  type ExtractErrorCode,
  type SourceFile,
} from "./types.ts";
