import type { DatabaseSync } from "node:sqlite";
import type { PathConflict } from "../../../contract/mod.ts";
import { quoteText } from "../../../text/mod.ts";
import { KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import { documentAtPath, type DocumentRow } from "./document_rows.ts";
import { collectionOf } from "./tags.ts";

/** Describes the document at a `source_path` for a caller who wants to store another one there. */
export function pathConflict(db: DatabaseSync, occupant: DocumentRow): PathConflict {
  return {
    document_id: occupant.id,
    title: occupant.title,
    doc_type: occupant.doc_type,
    collection: collectionOf(db, occupant.id) ?? null,
    size_bytes: occupant.size_bytes,
    version: occupant.version,
    ...(occupant.source === null ? {} : { source: occupant.source }),
  };
}

/**
 * Makes sure that a document may have a `source_path`.
 *
 * @throws {KnowledgeBaseError} `conflict` if another document has it, which the `details` describe.
 */
export function requireFreePath(db: DatabaseSync, sourcePath: string | null, documentId: number): void {
  const occupant = sourcePath === null ? undefined : documentAtPath(db, sourcePath);
  if (!occupant || occupant.id === documentId) return;
  throw new KnowledgeBaseError(
    "conflict",
    `Another document has the source_path ${quoteText(sourcePath ?? "", 200)}: document ${occupant.id}. ` +
      "Nothing was changed: change the path of that document or delete it first",
    { details: pathConflict(db, occupant) },
  );
}
