import type { Document, DocumentQuery } from "../../contract/mod.ts";

/**
 * Cuts the requested page out of the chunks of a response: engines before contract 3.0 return all chunks for
 * every request.
 *
 * @returns The document with the requested `chunks` and with `chunks_total` and `chunks_offset` set, or
 * without any of them if no chunks were requested.
 */
export function chunkPage(document: Document, query: DocumentQuery): Document {
  const { chunks = [], chunks_offset = 0, chunks_total = chunks.length, ...details } = document;
  if (query.chunks === false) return details;
  const { offset = 0, limit = Infinity } = query;
  const start = Math.max(0, offset - chunks_offset);
  return { ...details, chunks: chunks.slice(start, start + limit), chunks_total, chunks_offset: offset };
}
