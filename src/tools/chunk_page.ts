import type { Chunk, Document } from "../contract/mod.ts";

/** The chunks of a document that were asked for, and how many it has in all. */
export interface ChunkPage {
  readonly chunks: Chunk[];
  readonly total: number;
}

/**
 * Cuts the page out of an answer: an engine of an older contract answers all chunks, whatever page is asked for.
 *
 * @param page What the engine was asked for.
 */
export function chunkPage(
  { chunks = [], chunks_offset, chunks_total }: Document,
  page: { readonly offset: number; readonly limit: number },
): ChunkPage {
  const from = Math.max(0, page.offset - (chunks_offset ?? 0));
  return { chunks: chunks.slice(from, from + page.limit), total: chunks_total ?? chunks.length };
}
