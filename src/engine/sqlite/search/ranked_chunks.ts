import type { DatabaseSync } from "node:sqlite";
import type { Copies, NeighborChunk, RankedChunk, ScoredChunk } from "../../search/mod.ts";
import { visibleText } from "../../../text/mod.ts";
import type { ChunkMetadata } from "../index/mod.ts";
import { all, DOCUMENT_OF_CHUNK, type StoredRow, withTexts } from "../store/read_only.ts";
import type { ChunkTexts } from "./chunk_texts.ts";
import type { StoredDocuments } from "./stored_documents.ts";

/** Maximum number of copies that a result lists. */
const MAX_LISTED_COPIES = 5;

/** Options of {@linkcode RankedChunkReader}. */
export interface RankedChunkReaderOptions {
  readonly db: DatabaseSync;
  /** Metadata of the chunks that exist in the current transaction. */
  readonly chunks: ChunkMetadata;
  readonly texts: ChunkTexts;
  readonly documents: StoredDocuments;
}

/** Reads the chunks of a page with their documents. */
export class RankedChunkReader {
  readonly #options: RankedChunkReaderOptions;

  constructor(options: RankedChunkReaderOptions) {
    this.#options = options;
  }

  /**
   * Reads the chunks of a page, in the order of the hits. Leaves out chunks that were deleted after ranking.
   *
   * @param options.withNeighbors Whether to read the chunks before and after each one.
   * @param options.copiesOf Returns the chunks with the same text as one.
   */
  read(
    hits: readonly ScoredChunk[],
    { withNeighbors, copiesOf }: {
      readonly withNeighbors: boolean;
      readonly copiesOf: (chunk: number) => readonly number[];
    },
  ): RankedChunk[] {
    const { db, texts, chunks, documents } = this.#options;
    const ids = hits.map(({ id }) => id);
    const stored = texts.read(ids);
    const documentsById = documents.read(ids.map((id) => chunks.documentOf(id)));
    const neighbors = withNeighbors ? readNeighbors(db, JSON.stringify(ids)) : undefined;
    const found: RankedChunk[] = [];
    for (const { id, score } of hits) {
      const chunk = stored.get(id)?.row;
      const document = documentsById.get(chunks.documentOf(id));
      if (!chunk || !document) continue;
      // Field by field: copying all with a spread makes objects that are slow to copy.
      found.push({
        chunk_id: id,
        document_id: document.id,
        index: chunk.index,
        score,
        text: chunk.text,
        heading_path: JSON.parse(chunk.heading_path) as string[],
        page_start: chunk.page_start,
        page_end: chunk.page_end,
        line_start: chunk.line_start,
        line_end: chunk.line_end,
        char_start: chunk.char_start,
        char_end: chunk.char_end,
        repeated_chars: chunk.repeated_chars,
        title: document.title,
        doc_type: document.doc_type,
        language: document.language,
        stemmed_languages: document.stemmed_languages,
        source_path: document.source_path,
        tags: [...document.tags],
        created_at: document.created_at,
        updated_at: document.updated_at,
        neighbors: neighbors?.get(id) ?? [],
        copies: readCopies(db, copiesOf(id)),
      });
    }
    return found;
  }
}

/** Reads the documents of the first copies. */
function readCopies(db: DatabaseSync, copies: readonly number[]): Copies | undefined {
  if (copies.length === 0) return undefined;
  const rows = all<{ chunk_id: number; document_id: number; title: string; source_path: string | null }>(
    db,
    `SELECT c.id AS chunk_id, d.id AS document_id, d.title, d.source_path
       FROM json_each(?) j CROSS JOIN chunks c ON c.id = j.value
       CROSS JOIN documents d ON d.id = ${DOCUMENT_OF_CHUNK}
      ORDER BY j.key`,
    JSON.stringify(copies.slice(0, MAX_LISTED_COPIES)),
  );
  return { total: copies.length, listed: rows.map((row) => ({ ...row, title: visibleText(row.title) })) };
}

/** Reads the chunks right before and after others, under the same heading. */
function readNeighbors(db: DatabaseSync, ids: string): Map<number, NeighborChunk[]> {
  const rows = all<StoredRow<NeighborChunk & { readonly of: number }>>(
    db,
    `SELECT c.id AS of, n.position AS "index", n.text, n.char_start, n.repeated_chars
       FROM json_each(?) j
       CROSS JOIN chunks c ON c.id = j.value
       CROSS JOIN chunks n ON n.document_id = c.document_id AND n.position IN (c.position - 1, c.position + 1)
      WHERE n.heading_path = c.heading_path`,
    ids,
  );
  return Map.groupBy(withTexts(db, rows), ({ of }) => of);
}
