/**
 * Links between messages and the documents of their attachments.
 *
 * A document can be attached to several messages, and can be uploaded for itself. The links outlive the trash, from
 * where both ends may return.
 *
 * @module
 */
import type { DatabaseSync } from "node:sqlite";
import type { Document, Id } from "../../../contract/mod.ts";
import { all, first, run } from "./sql.ts";

/** The document of a message, and whether the job of the message has created it. */
export interface ParentMessage {
  readonly id: number;
  readonly isNew: boolean;
}

/**
 * Returns the document of the message that a file is attached to, directly or in an archive.
 *
 * @param parentJobId Job of the file's container, or null.
 */
export function parentMessage(db: DatabaseSync, parentJobId: number | null): ParentMessage | undefined {
  if (parentJobId === null) return undefined;
  const row = first<{ id: number; outcome: string | null }>(
    db,
    `WITH RECURSIVE container (id, parent, document_id, outcome) AS (
       SELECT id, parent_job_id, document_id, outcome FROM jobs WHERE id = ?
        UNION
       SELECT j.id, j.parent_job_id, j.document_id, j.outcome FROM container c JOIN jobs j ON j.id = c.parent
        WHERE c.document_id IS NULL
     ) SELECT d.id, c.outcome FROM container c JOIN documents d ON d.id = c.document_id LIMIT 1`,
    parentJobId,
  );
  return row && { id: row.id, isNew: row.outcome === "created" };
}

/**
 * Whether the document at a path is the attachment of other messages only. Messages have names like `message.eml` and
 * attachments names like `invoice.pdf`: the attachment of one message must not replace that of another.
 */
export function isPathOfOtherMessage(
  db: DatabaseSync,
  sourcePath: string | null,
  message: number | undefined,
): boolean {
  if (sourcePath === null || message === undefined) return false;
  const { mine, others } = first<{ mine: number; others: number }>(
    db,
    `SELECT count(*) FILTER (WHERE a.parent_id = ?) AS mine, count(*) FILTER (WHERE a.parent_id <> ?) AS others
       FROM documents d JOIN attachments a ON a.document_id = d.id WHERE d.source_path = ?`,
    message,
    message,
    sourcePath,
  ) ?? { mine: 0, others: 0 };
  return mine === 0 && others > 0;
}

/**
 * Records that a stored document is an attachment of a message, or that it was uploaded for itself.
 *
 * @param message Document of the message; undefined for an uploaded file.
 */
export function linkAttachment(
  db: DatabaseSync,
  { documentId, isNew }: { documentId: number; isNew: boolean },
  message: number | undefined,
): void {
  if (message === undefined) {
    // Even without rows to change, FTS5 would flush its pending rows for an update of several.
    if (!first(db, "SELECT 1 FROM attachments WHERE document_id = ? AND is_owned <> 0", documentId)) return;
    // Somebody wants it without the message.
    run(db, "UPDATE attachments SET is_owned = 0 WHERE document_id = ?", documentId);
  } else if (message !== documentId) {
    run(
      db,
      "INSERT OR IGNORE INTO attachments (parent_id, document_id, is_owned) VALUES (?, ?, ?)",
      message,
      documentId,
      isNew ? 1 : 0,
    );
  }
}

/** Returns the first message that has a document as its attachment. */
export function messageOf(db: DatabaseSync, documentId: number): number | undefined {
  const row = first<{ id: number | null }>(
    db,
    `SELECT min(d.id) AS id FROM attachments a JOIN documents d ON d.id = a.parent_id WHERE a.document_id = ?`,
    documentId,
  );
  return row?.id ?? undefined;
}

/** Maximum number of attachments that are listed with a message. */
const MAX_LISTED = 200;

/** Returns the attachments of a message. */
export function attachmentsOf(
  db: DatabaseSync,
  message: number,
): NonNullable<Document["attachments"]> {
  return all<{ document_id: Id; title: string }>(
    db,
    `SELECT d.id AS document_id, d.title FROM attachments a JOIN documents d ON d.id = a.document_id
      WHERE a.parent_id = ? ORDER BY d.id LIMIT ?`,
    message,
    MAX_LISTED,
  ).map((row) => ({ ...row }));
}

/**
 * Returns the attachments that are deleted with a message: those that were stored because of a message, were never
 * uploaded for themselves, and have no other message.
 *
 * @param options.keepsTrashed Whether a message in the trash counts as another one.
 */
export function attachmentsToDelete(
  db: DatabaseSync,
  message: number,
  { keepsTrashed }: { keepsTrashed: boolean },
): number[] {
  return all<{ id: number }>(
    db,
    `SELECT a.document_id AS id FROM attachments a JOIN documents d ON d.id = a.document_id
      WHERE a.parent_id = ? AND d.source IS NULL
        AND EXISTS (SELECT 1 FROM attachments o WHERE o.document_id = a.document_id AND o.is_owned = 1)
        AND NOT EXISTS (SELECT 1 FROM attachments o WHERE o.document_id = a.document_id AND o.parent_id <> a.parent_id
                           AND (o.parent_id IN (SELECT id FROM documents)
                             OR ? AND o.parent_id IN (SELECT document_id FROM trash)))
      ORDER BY a.document_id`,
    message,
    keepsTrashed ? 1 : 0,
  ).map(({ id }) => id);
}

/** Returns the attachments that went to the trash together with a message that is in the trash. */
export function attachmentsInTrash(db: DatabaseSync, message: number): number[] {
  return all<{ id: number }>(
    db,
    `SELECT a.document_id AS id FROM trash m JOIN attachments a ON a.parent_id = m.document_id
       JOIN trash t ON t.document_id = a.document_id AND t.deleted_at = m.deleted_at
      WHERE m.document_id = ? ORDER BY a.document_id`,
    message,
  ).map(({ id }) => id);
}

/** Removes the links of a document that is erased. */
export function unlinkAttachments(db: DatabaseSync, documentId: number): void {
  run(db, "DELETE FROM attachments WHERE parent_id = ? OR document_id = ?", documentId, documentId);
}
