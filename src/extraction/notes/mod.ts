/**
 * The part of extraction that notes and their edits need: chunks, titles and front matter. Without the detection of
 * formats and encodings, which the writer thread would load at its start.
 *
 * @module
 */
export { type Block, scanBlocks } from "../chunking/blocks.ts";
export { chunkText } from "../chunking/chunk.ts";
export type { ChunkDraft, ChunkOptions, ChunkSource, TextRange } from "../chunking/types.ts";
export {
  type FrontMatter,
  frontMatterTags,
  loadFrontMatter,
  mayHaveFrontMatter,
  readFrontMatterSync,
} from "../front_matter.ts";
export { MAX_METADATA_CHARS } from "../limits.ts";
export { storedText } from "../stored_text.ts";
export { cleanTitle, headingTitle, noteTitle } from "../title.ts";
