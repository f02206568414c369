import type { DatabaseSync } from "node:sqlite";
import {
  documentAtPath,
  type DocumentContent,
  documentWithHash,
  insertDocument,
  replaceContent,
} from "./documents.ts";
import type { JobOutcome } from "./jobs.ts";
import { type ChangeContext, recordRevision } from "./revisions.ts";
import { run } from "./sql.ts";
import { applyTags, changesCollection, mergeTags, planMerge } from "./tags.ts";

/** A note or file to be stored. */
export interface IncomingDocument {
  readonly isNote: boolean;
  readonly contentHash: string;
  readonly sourcePath: string | undefined;
  /** Tags from the sender, at most one of them a collection. */
  readonly requestedTags: readonly string[];
  /** Tags found in the document. */
  readonly ownTags: readonly string[];
  /** Returns the content. Not called for duplicates. */
  readonly content: () => DocumentContent;
}

/**
 * Stores a document, or merges it with an existing one.
 *
 * A document with the same `source_path` is a duplicate if its content is equal; otherwise its content is
 * replaced. Without such a document, one of the same kind with the same bytes is a duplicate, whatever its
 * path. Notes and files are different kinds, since only notes can be updated in place.
 */
export function ingest(
  db: DatabaseSync,
  document: IncomingDocument,
  context: ChangeContext,
): { documentId: number; outcome: JobOutcome } {
  const { isNote, contentHash, sourcePath } = document;
  const tags = { requested: document.requestedTags, own: document.ownTags };
  const atPath = sourcePath === undefined ? undefined : documentAtPath(db, sourcePath);
  const isSame = atPath !== undefined && atPath.content_hash === contentHash &&
    (atPath.doc_type === "note") === isNote;
  if (atPath && !isSame) {
    const content = document.content();
    recordRevision(db, atPath.id, { ...context, change: "replaced", contentChanges: true });
    replaceContent(db, atPath.id, content);
    mergeTags(db, atPath.id, tags);
    return { documentId: atPath.id, outcome: "replaced" };
  }
  const existing = atPath ?? documentWithHash(db, contentHash, isNote);
  if (existing) {
    const adoptsPath = sourcePath !== undefined && existing.source_path === null;
    const plan = planMerge(db, existing.id, tags);
    if (adoptsPath || plan) {
      const change = plan && changesCollection(plan) ? "collection" : adoptsPath ? "metadata" : "tags";
      recordRevision(db, existing.id, { ...context, change, contentChanges: false });
    }
    if (adoptsPath) run(db, "UPDATE documents SET source_path = ? WHERE id = ?", sourcePath, existing.id);
    if (plan) applyTags(db, existing.id, plan);
    return { documentId: existing.id, outcome: "duplicate" };
  }
  const { now: createdAt, actor } = context;
  const documentId = insertDocument(db, document.content(), { sourcePath, createdAt, actor });
  mergeTags(db, documentId, tags);
  return { documentId, outcome: "created" };
}

/** Maximum length of a file's title, in UTF-16 code units. */
const MAX_TITLE_CHARS = 200;

/** Returns the title of a file: the extracted one, or else the file name. Both are untrusted. */
export function fileTitle(extracted: string | undefined, filename: string | null): string {
  return toTitle(extracted ?? "") || toTitle(filename ?? "") || "Untitled";
}

function toTitle(text: string): string {
  // deno-lint-ignore no-control-regex -- control characters separate words, as white space does
  const line = text.slice(0, 4 * MAX_TITLE_CHARS).replace(/[\s\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  return line.length <= MAX_TITLE_CHARS ? line : line.slice(0, MAX_TITLE_CHARS - 1).toWellFormed() + "…";
}
