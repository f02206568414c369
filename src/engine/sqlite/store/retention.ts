import type { DatabaseSync } from "node:sqlite";
import { all, first, inTransaction, run } from "./sql.ts";

/** How long former versions and deleted documents are kept. */
export interface Retention {
  /** Number of former versions of each document. 0: none. */
  readonly maxRevisions: number;
  /** Days after which a former version is deleted, from the change that ended it. */
  readonly revisionDays: number;
  /** Days until a deleted document is erased. 0: it is erased at once. */
  readonly trashDays: number;
}

/** Defaults of `KB_REVISIONS`, `KB_REVISION_DAYS` and `KB_TRASH_DAYS`. */
export const DEFAULT_RETENTION: Retention = { maxRevisions: 20, revisionDays: 90, trashDays: 30 };

/** Maximum number of revisions that one step deletes. */
const STEP_REVISIONS = 100;
/** Maximum size of their texts, unless a single one is larger. Overwriting them in the file takes about 20 ms. */
const STEP_BYTES = 4 * 2 ** 20;

interface ExpiredRevision {
  id: number;
  document_id: number;
  version: number;
  /** Size of its text. */
  bytes: number;
}

/**
 * Deletes some former versions and deleted documents that are kept no longer, in a transaction of its own.
 *
 * @param now Current time, in the format of `timestamp`.
 * @returns Whether more steps are needed.
 */
export function retentionStep(db: DatabaseSync, retention: Retention, now: string): boolean {
  const expired = expiredRevisions(db, retention, now);
  if (expired.length === 0) return false;
  let bytes = 0;
  // At least one, whatever its size.
  const step = expired.filter((each, i) => (bytes += each.bytes) <= STEP_BYTES || i === 0);
  inTransaction(db, () => step.forEach((each) => removeRevision(db, each)));
  return true;
}

/** Whether anything is kept no longer. */
export function hasExpired(db: DatabaseSync, retention: Retention, now: string): boolean {
  return expiredRevisions(db, retention, now).length > 0;
}

/** Returns some revisions to delete: oldest documents of the trash first, each with its oldest revision first. */
function expiredRevisions(
  db: DatabaseSync,
  { maxRevisions, revisionDays, trashDays }: Retention,
  now: string,
): ExpiredRevision[] {
  const trashed = all<ExpiredRevision>(
    db,
    `SELECT r.id, r.document_id, r.version, coalesce(octet_length(r.content), 0) AS bytes
       FROM trash t JOIN revisions r ON r.document_id = t.document_id
      WHERE t.deleted_at <= ? ORDER BY t.deleted_at, t.document_id, r.version LIMIT ?`,
    addDays(now, -trashDays),
    STEP_REVISIONS,
  );
  if (trashed.length > 0) return trashed;
  // The last revision of a deleted document expires with it.
  return all<ExpiredRevision>(
    db,
    `SELECT r.id, r.document_id, r.version, coalesce(octet_length(r.content), 0) AS bytes
       FROM revisions r
      WHERE r.changed_at <= ?
        AND NOT EXISTS (SELECT 1 FROM trash t WHERE t.document_id = r.document_id AND t.version = r.version)
      ORDER BY r.changed_at, r.version LIMIT ?`,
    maxRevisions === 0 ? now : addDays(now, -revisionDays),
    STEP_REVISIONS,
  );
}

/**
 * Deletes a revision, and a document of the trash with its last one. Also deletes older revisions, which may
 * share the text: a clock that was set back can make them expire later.
 */
function removeRevision(db: DatabaseSync, { document_id: documentId, version }: ExpiredRevision): void {
  run(db, "DELETE FROM revisions WHERE document_id = ? AND version <= ?", documentId, version);
  const isLast = first(db, "SELECT 1 FROM trash WHERE document_id = ? AND version = ?", documentId, version);
  if (isLast) run(db, "DELETE FROM trash WHERE document_id = ?", documentId);
}

/** Returns the time that is a number of days after another one, both in the format of `timestamp`. */
export function addDays(time: string, days: number): string {
  return new Date(Date.parse(time) + days * 86_400_000).toISOString();
}
