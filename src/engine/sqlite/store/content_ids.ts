import type { DatabaseSync } from "node:sqlite";
import { count, first } from "./sql.ts";

/** SQL expression for the document of chunk `c`; 0 for a chunk of a hidden text. See contents.ts. */
export const DOCUMENT_OF_CHUNK =
  "coalesce((SELECT coalesce(x.document_id, 0) FROM contents x WHERE x.id = c.document_id), c.document_id)";

/** Returns the value of `chunks.document_id` of the chunks of a document. */
export function contentIdOf(db: DatabaseSync, documentId: number): number {
  return first<{ id: number }>(db, "SELECT id FROM contents WHERE document_id = ?", documentId)?.id ??
    documentId;
}

/** Largest id of a document. Ids of texts without one are larger. */
export const MAX_DOCUMENT_ID = 2 ** 50;

/** Returns an id for a row of `contents`, which no document ever has. */
export function newContentId(db: DatabaseSync): number {
  return count(db, "SELECT max(coalesce(max(id), 0), ?) + 1 AS n FROM contents", MAX_DOCUMENT_ID);
}
