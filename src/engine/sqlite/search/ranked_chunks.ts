import type { DatabaseSync } from "node:sqlite";
import type { Copies, NeighborChunk, RankedChunk, ScoredChunk } from "../../search/mod.ts";
import { visibleText } from "../../../text/mod.ts";
import { all, type ChunkRow, DOCUMENT_OF_CHUNK } from "../store/mod.ts";

interface Row extends ChunkRow {
  document_id: number;
  title: string;
  doc_type: string;
  language: string | null;
  stemmed_languages: string | null;
  source_path: string | null;
  created_at: string;
  updated_at: string | null;
  tags: string;
}

/** Maximum number of copies that a result lists. */
const MAX_LISTED_COPIES = 5;

/**
 * Reads the chunks of a page with their documents, in the order of the hits. Leaves out chunks that were
 * deleted after ranking.
 *
 * @param options.withNeighbors Whether to read the chunks before and after each one.
 * @param options.copiesOf Returns the chunks with the same text as one.
 */
export function readRankedChunks(
  db: DatabaseSync,
  hits: readonly ScoredChunk[],
  { withNeighbors, copiesOf }: {
    readonly withNeighbors: boolean;
    readonly copiesOf: (chunk: number) => readonly number[];
  },
): RankedChunk[] {
  const ids = JSON.stringify(hits.map(({ id }) => id));
  const rows = all<Row>(
    db,
    `SELECT c.id AS chunk_id, d.id AS document_id, c.position AS "index", c.text, c.heading_path,
            c.page_start, c.page_end, c.line_start, c.line_end, c.char_start, c.char_end, c.repeated_chars,
            d.title, d.doc_type, d.source_path, d.created_at, d.updated_at, d.language, d.stemmed_languages,
            (SELECT json_group_array(name) FROM (
               SELECT t.name FROM document_tags x JOIN tags t ON t.id = x.tag_id
                WHERE x.document_id = d.id ORDER BY t.name)) AS tags
       FROM json_each(?) j
       CROSS JOIN chunks c ON c.id = j.value
       CROSS JOIN documents d ON d.id = ${DOCUMENT_OF_CHUNK}
      ORDER BY j.key`,
    ids,
  );
  const neighbors = withNeighbors ? readNeighbors(db, ids) : undefined;
  const scores = new Map(hits.map(({ id, score }) => [id, score]));
  // Field by field: copying all with a spread makes objects that are slow to copy and to serialize.
  return rows.map((row) => ({
    chunk_id: row.chunk_id,
    document_id: row.document_id,
    index: row.index,
    score: scores.get(row.chunk_id) ?? 0,
    text: row.text,
    heading_path: JSON.parse(row.heading_path) as string[],
    page_start: row.page_start,
    page_end: row.page_end,
    line_start: row.line_start,
    line_end: row.line_end,
    char_start: row.char_start,
    char_end: row.char_end,
    repeated_chars: row.repeated_chars,
    title: row.title,
    doc_type: row.doc_type,
    language: row.language,
    stemmed_languages: row.stemmed_languages?.split(" ") ?? [],
    source_path: row.source_path,
    tags: JSON.parse(row.tags) as string[],
    created_at: row.created_at,
    updated_at: row.updated_at,
    neighbors: neighbors?.get(row.chunk_id) ?? [],
    copies: readCopies(db, copiesOf(row.chunk_id)),
  }));
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
  const rows = all<NeighborChunk & { readonly of: number }>(
    db,
    `SELECT c.id AS of, n.position AS "index", n.text, n.char_start, n.repeated_chars
       FROM json_each(?) j
       CROSS JOIN chunks c ON c.id = j.value
       CROSS JOIN chunks n ON n.document_id = c.document_id AND n.position IN (c.position - 1, c.position + 1)
      WHERE n.heading_path = c.heading_path`,
    ids,
  );
  return Map.groupBy(rows, ({ of }) => of);
}
