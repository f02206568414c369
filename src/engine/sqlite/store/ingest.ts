import type { DatabaseSync } from "node:sqlite";
import type { PathConflict } from "../../../contract/mod.ts";
import { type DocumentContent, insertDocument, replaceContent } from "./documents.ts";
import { type DocumentRow, documentWithHash } from "./document_rows.ts";
import type { JobDetails, JobOutcome } from "./jobs.ts";
import { pathConflict } from "./path_conflict.ts";
import { documentAtPathForm } from "./path_forms.ts";
import { sourceNamed } from "./read_sources.ts";
import { type ChangeContext, recordRevision } from "./revisions.ts";
import { run, storable } from "./sql.ts";
import {
  applyTags,
  changesCollection,
  type IncomingTags,
  insertTags,
  isSameCollection,
  movedFrom,
  planMerge,
} from "./tags.ts";

/** A note or file to be stored. */
export interface IncomingDocument {
  readonly isNote: boolean;
  readonly contentHash: string;
  readonly sourcePath: string | undefined;
  /** Whether to replace whatever is at the `sourcePath`. */
  readonly overwrite: boolean;
  /** Whether no document that is stored already may change. */
  readonly addOnly: boolean;
  readonly tags: IncomingTags;
  /** Returns the content. Not called for duplicates and conflicts. */
  readonly content: () => DocumentContent;
}

/** A stored document, and what happened to the one that was there before. */
export interface Ingested {
  readonly documentId: number;
  readonly outcome: JobOutcome;
  readonly details: JobDetails;
}

/** Why a document was not stored: nothing has changed. */
export type Refused =
  /** A document at the path that must not be replaced. */
  | { readonly conflict: PathConflict }
  /** A source whose files have the paths that start with its name. */
  | { readonly conflict: null; readonly source: string };

/**
 * Stores a document, or merges it with an existing one.
 *
 * A document of the same kind with the same `source_path` is a duplicate if its content is equal. Otherwise
 * its content is replaced, unless it is in another collection. Without a document at the path, one of the same
 * kind with the same bytes is a duplicate, whatever its path. Notes and files are different kinds, since only
 * notes can be updated in place. Paths that differ in composed and decomposed letters are the same path, and the
 * document keeps the one that it has.
 *
 * With `addOnly`, a document at the path is never replaced, a duplicate stays as it is, and a path below a source is
 * refused: its file could not be stored.
 */
export function ingest(
  db: DatabaseSync,
  document: IncomingDocument,
  context: ChangeContext,
): Ingested | Refused {
  const { isNote, contentHash, sourcePath, overwrite, addOnly, tags } = document;
  const atPath = sourcePath === undefined ? undefined : documentAtPathForm(db, sourcePath);
  // A file of a source changes with its folder only.
  if (atPath?.source) return { conflict: pathConflict(db, atPath) };
  const isSameKind = atPath !== undefined && (atPath.doc_type === "note") === isNote;
  if (atPath && !(isSameKind && atPath.content_hash === contentHash)) {
    const mayReplace = !addOnly && (overwrite || isSameKind && isSameCollection(db, atPath.id, tags));
    return mayReplace ? replace(db, atPath, document, context) : { conflict: pathConflict(db, atPath) };
  }
  const existing = atPath ?? documentWithHash(db, contentHash, isNote);
  if (existing && addOnly) return { documentId: existing.id, outcome: "duplicate", details: {} };
  if (existing) return mergeDuplicate(db, existing, document, context);
  const source = addOnly && sourcePath !== undefined ? sourceOfPath(db, sourcePath) : undefined;
  if (source !== undefined) return { conflict: null, source };
  const { now: createdAt, actor } = context;
  const documentId = insertDocument(db, document.content(), { sourcePath, createdAt, actor });
  insertTags(db, documentId, tags);
  return { documentId, outcome: "created", details: {} };
}

/** Returns the name of the source whose files may have a path. */
function sourceOfPath(db: DatabaseSync, path: string): string | undefined {
  const end = path.indexOf("/");
  return end < 0 ? undefined : sourceNamed(db, path.slice(0, end))?.name;
}

function replace(
  db: DatabaseSync,
  { id, version }: DocumentRow,
  { tags, content }: IncomingDocument,
  context: ChangeContext,
): Ingested {
  const replacement = content();
  const plan = planMerge(db, id, tags);
  const moved = plan && movedFrom(plan);
  recordRevision(db, id, { ...context, change: "replaced", contentChanges: true });
  replaceContent(db, id, replacement);
  if (plan) applyTags(db, id, plan);
  const details = {
    ...(moved !== undefined && { moved_from: moved }),
    ...(context.maxRevisions > 0 && { restorable_version: version }),
  };
  return { documentId: id, outcome: "replaced", details };
}

function mergeDuplicate(
  db: DatabaseSync,
  { id, source_path: storedPath }: DocumentRow,
  { sourcePath, tags }: IncomingDocument,
  context: ChangeContext,
): Ingested {
  const adoptsPath = sourcePath !== undefined && storedPath === null;
  const plan = planMerge(db, id, tags);
  if (adoptsPath || plan) {
    const change = plan && changesCollection(plan) ? "collection" : adoptsPath ? "metadata" : "tags";
    recordRevision(db, id, { ...context, change, contentChanges: false });
  }
  if (adoptsPath) run(db, "UPDATE documents SET source_path = ? WHERE id = ?", sourcePath, id);
  if (plan) applyTags(db, id, plan);
  const moved = plan && movedFrom(plan);
  return {
    documentId: id,
    outcome: "duplicate",
    details: moved === undefined ? {} : { moved_from: moved },
  };
}

/** Maximum length of the warning about a document, in UTF-16 code units. */
const MAX_WARNING_CHARS = 2_000;

/** Joins the warnings about a file, which are untrusted. Returns undefined without any. */
export function joinWarnings(warnings: readonly string[] = []): string | undefined {
  const joined = warnings.join(" ").slice(0, MAX_WARNING_CHARS).trim();
  return joined === "" ? undefined : storable(joined);
}
