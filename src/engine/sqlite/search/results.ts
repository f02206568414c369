import type { DatabaseSync } from "node:sqlite";
import type { SearchResult } from "../../../contract/mod.ts";
import { visibleText } from "../../../text/mod.ts";
import { all, type ChunkRow } from "../store/mod.ts";
import type { Scored } from "../../search/mod.ts";

/** How results are to be written. */
export interface ResultOptions {
  readonly detail: "snippet" | "chunk" | "context";
  /** Cuts a text to the part that matters. */
  readonly snippet: (text: string) => string;
}

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
 * The ranked chunks with all that is known of them, in the order given; one that is gone meanwhile is left out. What cannot
 * be seen in a text is not in its result.
 */
export function readResults(
  db: DatabaseSync,
  ranked: readonly Scored[],
  { detail, snippet }: ResultOptions,
): SearchResult[] {
  const ids = JSON.stringify(ranked.map(({ id }) => id));
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
    ids,
  );
  const neighbours = detail === "context" ? neighboursOf(db, ids) : undefined;
  const scores = new Map(ranked.map(({ id, score }) => [id, score]));
  return rows.map((row) => {
    // Before it is cut, which makes blanks of white space: U+FEFF is some to JavaScript.
    const text = visibleText(row.text);
    const cut = snippet(text);
    const { before, after } = contextOf(row, neighbours?.get(row.chunk_id) ?? []);
    return {
      ...row,
      score: scores.get(row.chunk_id) ?? 0,
      ...(detail === "snippet" ? { text: cut } : { text, snippet: cut }),
      ...(before ? { context_before: visibleText(before) } : {}),
      ...(after ? { context_after: visibleText(after) } : {}),
      title: visibleText(row.title),
      source_path: row.source_path,
      heading_path: (JSON.parse(row.heading_path) as string[]).map(visibleText),
      tags: JSON.parse(row.tags) as string[],
    };
  });
}

/** A chunk right before or after another one, under the same heading. */
interface Neighbour {
  readonly of: number;
  readonly index: number;
  readonly text: string;
  readonly char_start: number | null;
}

function neighboursOf(db: DatabaseSync, ids: string): Map<number, Neighbour[]> {
  const rows = all<Neighbour>(
    db,
    `SELECT c.id AS of, n.position AS "index", n.text, n.char_start
       FROM json_each(?) j
       CROSS JOIN chunks c ON c.id = j.value
       CROSS JOIN chunks n ON n.document_id = c.document_id AND n.position IN (c.position - 1, c.position + 1)
      WHERE n.heading_path = c.heading_path`,
    ids,
  );
  return Map.groupBy(rows, (row) => row.of);
}

/** What neighbours add to a chunk: they may overlap with it, and no text is to be read twice. */
function contextOf(chunk: ChunkRow, neighbours: readonly Neighbour[]): { before?: string; after?: string } {
  const found: { before?: string; after?: string } = {};
  for (const { index, text, char_start } of neighbours) {
    const [start, end] = [chunk.char_start, chunk.char_end];
    const isKnown = char_start !== null && start !== null && end !== null;
    if (index < chunk.index) found.before = isKnown ? text.slice(0, Math.max(0, start - char_start)) : text;
    else found.after = isKnown ? text.slice(Math.max(0, end - char_start)) : text;
  }
  return found;
}
