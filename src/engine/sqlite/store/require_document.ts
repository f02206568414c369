import type { DatabaseSync } from "node:sqlite";
import type { VersionConflict } from "../../../contract/mod.ts";
import { type ChangeOptions, KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import { type DocumentRow, documentRow } from "./document_rows.ts";
import { type RevisionRow, trashedRevision } from "./revisions.ts";

/**
 * Returns a document that is about to change.
 *
 * @throws {KnowledgeBaseError} `not_found`, or `version_conflict` unless it has the version of `ifVersion`.
 */
export function requireDocument(
  db: DatabaseSync,
  id: number,
  { ifVersion }: Pick<ChangeOptions, "ifVersion"> = {},
): DocumentRow {
  const document = documentRow(db, id);
  if (!document) throw missingDocument(db, id, ifVersion);
  if (ifVersion !== undefined && ![ifVersion].flat().includes(document.version)) {
    throw versionConflict({
      document_id: id,
      version: document.version,
      title: document.title,
      changed_at: document.updated_at ?? document.created_at,
      changed_by: document.changed_by,
    });
  }
  return document;
}

/** Returns the error for a change of a document that is not the version for which the change was meant. */
function versionConflict(current: VersionConflict): KnowledgeBaseError {
  const { document_id: id, version } = current;
  return new KnowledgeBaseError(
    "version_conflict",
    version === null
      ? `Document ${id} was deleted. Nothing was changed: restore it first, without an expected version`
      : `Document ${id} has changed since: it has version ${version} now. Nothing was changed: read it again, ` +
        "then decide whether to repeat the change",
    { details: current },
  );
}

function missingDocument(
  db: DatabaseSync,
  id: number,
  ifVersion: ChangeOptions["ifVersion"],
): KnowledgeBaseError {
  const trashed = trashedRevision(db, id);
  if (!trashed || ifVersion === undefined) return documentNotFound(id, trashed);
  return deletedConflict(trashed);
}

/** Returns the error for a deleted document, which has no version that could be expected (RFC 9110 §13.1.1). */
export function deletedConflict(revision: RevisionRow): KnowledgeBaseError {
  const { document_id, title, changed_at, changed_by } = revision;
  return versionConflict({ document_id, version: null, title, changed_at, changed_by });
}

/**
 * Returns the error for a document that does not exist.
 *
 * @param trashed Last version of a deleted document that can be restored.
 */
export function documentNotFound(
  id: number,
  trashed?: Pick<RevisionRow, "title" | "changed_at" | "changed_by">,
): KnowledgeBaseError {
  if (!trashed) return new KnowledgeBaseError("not_found", `There is no document ${id}`);
  const { title, changed_at: deleted_at, changed_by: deleted_by } = trashed;
  return new KnowledgeBaseError(
    "not_found",
    `There is no document ${id}: it was deleted at ${deleted_at}. Restore it first`,
    {
      details: { document_id: id, title, deleted_at, deleted_by },
    },
  );
}
