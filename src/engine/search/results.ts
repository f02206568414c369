import type { DatabaseSync } from "node:sqlite";
import type { SearchResult } from "../../contract/mod.ts";
import type { ChunkRow } from "../store/chunks.ts";
import { all } from "../store/sql.ts";
import type { Scored } from "./rank.ts";

interface Row extends ChunkRow {
  document_id: number;
  title: string;
  doc_type: string;
  source_path: string | null;
  created_at: string;
  updated_at: string | null;
  tags: string;
}

/**
 * The ranked chunks with all that is known of them, in the order given.
 *
 * @param snippet Cuts a text to the part that matters.
 */
export function readResults(
  db: DatabaseSync,
  ranked: readonly Scored[],
  snippet: (text: string) => string,
): SearchResult[] {
  const rows = all<Row>(
    db,
    `SELECT c.id AS chunk_id, c.document_id, c.position AS "index", c.text, c.heading_path,
            c.page_start, c.page_end, c.line_start, c.line_end, c.char_start, c.char_end,
            d.title, d.doc_type, d.source_path, d.created_at, d.updated_at,
            (SELECT json_group_array(name) FROM (
               SELECT t.name FROM document_tags x JOIN tags t ON t.id = x.tag_id
                WHERE x.document_id = d.id ORDER BY t.name)) AS tags
       FROM json_each(?) j
       CROSS JOIN chunks c ON c.id = j.value
       CROSS JOIN documents d ON d.id = c.document_id
      ORDER BY j.key`,
    JSON.stringify(ranked.map(({ id }) => id)),
  );
  const scores = new Map(ranked.map(({ id, score }) => [id, score]));
  return rows.map(({ heading_path, tags, ...row }) => ({
    ...row,
    score: scores.get(row.chunk_id) ?? 0,
    snippet: snippet(row.text),
    heading_path: JSON.parse(heading_path) as string[],
    tags: JSON.parse(tags) as string[],
  }));
}
