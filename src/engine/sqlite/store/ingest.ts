import type { DatabaseSync } from "node:sqlite";
import {
  documentAt,
  type DocumentContent,
  documentWithHash,
  insertDocument,
  replaceContent,
  touchDocument,
} from "./documents.ts";
import type { Outcome } from "./jobs.ts";
import { run } from "./sql.ts";
import { mergeTags } from "./tags.ts";

/** A source that becomes a document, or turns out to be one already. */
export interface Arrival {
  readonly isNote: boolean;
  readonly contentHash: string;
  readonly sourcePath: string | undefined;
  /** Tags that the sender asked for; one of them may name a collection. */
  readonly requestedTags: readonly string[];
  /** Tags that the document gives itself. */
  readonly ownTags: readonly string[];
  /** Title, text and the rest; asked for only if there is something to store. */
  readonly content: () => DocumentContent;
}

/**
 * Stores what arrived.
 *
 * A document at the same `source_path` is the same document: unchanged, it is a duplicate, else its content is replaced. Without
 * one, a document of the same kind with the same bytes is a duplicate, wherever it came from. Notes and files are different
 * kinds, since only notes can be corrected in place.
 */
export function ingest(
  db: DatabaseSync,
  arrival: Arrival,
  now: string,
): { documentId: number; outcome: Outcome } {
  const { isNote, contentHash, sourcePath, requestedTags, ownTags } = arrival;
  const there = sourcePath === undefined ? undefined : documentAt(db, sourcePath);
  const isSame = there !== undefined && there.content_hash === contentHash &&
    (there.doc_type === "note") === isNote;
  if (there && !isSame) {
    replaceContent(db, there.id, arrival.content(), now);
    mergeTags(db, there.id, requestedTags, ownTags);
    return { documentId: there.id, outcome: "replaced" };
  }
  const existing = there ?? documentWithHash(db, contentHash, isNote);
  if (existing) {
    const adopts = sourcePath !== undefined && existing.source_path === null;
    if (adopts) run(db, "UPDATE documents SET source_path = ? WHERE id = ?", sourcePath, existing.id);
    const retagged = mergeTags(db, existing.id, requestedTags, ownTags);
    if (adopts || retagged) touchDocument(db, existing.id, now);
    return { documentId: existing.id, outcome: "duplicate" };
  }
  const documentId = insertDocument(db, arrival.content(), sourcePath, now);
  mergeTags(db, documentId, requestedTags, ownTags);
  return { documentId, outcome: "created" };
}
