import type { DatabaseSync } from "node:sqlite";
import { unlinkAttachments } from "./attachments.ts";
import { removeDocument } from "./documents.ts";
import { type ChangeContext, pruneRevisions, saveRevision } from "./revisions.ts";
import { first, run } from "./sql.ts";

/** Moves a document to the trash. It leaves every index and listing, and lives on as its last revision. */
export function trashDocument(db: DatabaseSync, id: number, context: ChangeContext): void {
  const { now, maxRevisions } = context;
  saveRevision(db, id, { ...context, change: "deleted", contentChanges: true });
  run(
    db,
    "INSERT INTO trash (document_id, version, deleted_at) SELECT id, version, ? FROM documents WHERE id = ?",
    now,
    id,
  );
  pruneRevisions(db, id, Math.max(1, maxRevisions));
  removeDocument(db, id);
}

/** Deletes a document and its revisions, also from the trash. */
export function eraseDocument(db: DatabaseSync, id: number): void {
  pruneRevisions(db, id, 0);
  run(db, "DELETE FROM trash WHERE document_id = ?", id);
  unlinkAttachments(db, id);
  const isLive = first(db, "SELECT 1 FROM documents WHERE id = ?", id);
  if (isLive) removeDocument(db, id);
}
