import type { DatabaseSync } from "node:sqlite";
import type { DocumentEdit } from "../../../contract/mod.ts";
import { isCollectionTag, MAX_NOTE_CHARS } from "../../../contract/rules/mod.ts";
import {
  type ChunkOptions,
  cleanTitle,
  MAX_METADATA_CHARS,
  noteTitle,
} from "../../../extraction/notes/mod.ts";
import { quoteText } from "../../../text/mod.ts";
import { KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import { type ChangedText, editText, type Excerpt, excerpts, hasTextEdits } from "../../text_edits/mod.ts";
import { chunkDrafts } from "./chunks.ts";
import { type DocumentContent, replaceContent } from "./documents.ts";
import { documentMetadata, type DocumentRow } from "./document_rows.ts";
import { noteText } from "./note_texts.ts";
import { noteContent } from "./notes.ts";
import { noteSource } from "./note_source.ts";
import { requireFreePath } from "./path_conflict.ts";
import { pathForms } from "./path_forms.ts";
import { type ChangeContext, recordRevision } from "./revisions.ts";
import { run, storable } from "./sql.ts";
import { applyTags, planTags, type TagPlan } from "./tags.ts";

/** Options of {@linkcode editDocument}. */
export interface EditContext extends ChangeContext {
  readonly chunk: ChunkOptions;
}

/** Result of an edit. */
export interface EditResult {
  readonly hasChanged: boolean;
  /** Changed lines of the text, if the edit has changes of text. */
  readonly excerpts: readonly Excerpt[] | undefined;
}

/** A document as an edit makes it. Undefined: the part stays. */
interface EditPlan {
  readonly text: ChangedText | undefined;
  readonly title: string | undefined;
  readonly titleDerived: boolean;
  readonly metadata: Metadata | null | undefined;
  readonly sourcePath: string | null | undefined;
  readonly tags: TagPlan | undefined;
}

type Metadata = Record<string, unknown>;

/**
 * Changes the title, tags, path, metadata or parts of the text of a document. Everything is checked before
 * anything is written, so that an edit is made completely or not at all. An edit that changes nothing makes no
 * version.
 *
 * A title that was derived from a note is derived again. Changes of text do not read front matter.
 *
 * @throws {KnowledgeBaseError} `invalid`, `not_a_note` for a change of text of another document, or `conflict`
 * with a `PathConflict` of the contract if another document has the path.
 */
export function editDocument(
  db: DatabaseSync,
  document: DocumentRow,
  edit: DocumentEdit,
  { chunk, ...context }: EditContext,
): EditResult {
  const { id } = document;
  const plan = planEdit(db, document, edit);
  const { text, title, metadata, sourcePath, tags } = plan;
  const content = text && textContent(db, document, plan, chunk);
  const changesFields = [title, metadata, sourcePath].some((part) => part !== undefined);
  const hasChanged = content !== undefined || changesFields || tags !== undefined;
  if (hasChanged) {
    recordRevision(db, id, {
      ...context,
      change: content ? "text" : changesFields ? "metadata" : "tags",
      contentChanges: content !== undefined,
    });
  }
  if (content) replaceContent(db, id, content);
  else if (title !== undefined) replaceContent(db, id, renamedContent(db, document, { ...plan, title }));
  else if (metadata !== undefined) {
    run(db, "UPDATE documents SET metadata = ? WHERE id = ?", metadata && JSON.stringify(metadata), id);
  }
  if (sourcePath !== undefined) run(db, "UPDATE documents SET source_path = ? WHERE id = ?", sourcePath, id);
  if (tags) applyTags(db, id, tags);
  return { hasChanged, excerpts: hasTextEdits(edit) ? text ? excerpts(text) : [] : undefined };
}

function planEdit(db: DatabaseSync, document: DocumentRow, edit: DocumentEdit): EditPlan {
  assertNotEmpty(edit);
  const text = editedText(db, document, edit);
  const metadata = editedMetadata(documentMetadata(db, document.id), edit.metadata);
  const title = editedTitle(db, document, { given: edit.title, text, metadata });
  return {
    text,
    title: title === document.title ? undefined : title,
    titleDerived: document.title_derived === 1 && edit.title === undefined,
    metadata,
    sourcePath: editedPath(db, document, edit.source_path),
    tags: tagPlan(db, document, edit),
  };
}

function assertNotEmpty(edit: DocumentEdit): void {
  const isGiven = ([, value]: [string, unknown]) =>
    typeof value !== "object" || value === null || Object.keys(value).length > 0;
  if (Object.entries(edit).filter(([, value]) => value !== undefined).some(isGiven)) return;
  throw new KnowledgeBaseError(
    "invalid",
    "An edit must change something: give title, add_tags, remove_tags, source_path, metadata, replace, section, " +
      "prepend or append",
  );
}

/** Returns the new text of a note; undefined if it stays. */
function editedText(
  db: DatabaseSync,
  { id, doc_type: docType }: DocumentRow,
  edit: DocumentEdit,
): ChangedText | undefined {
  if (!hasTextEdits(edit)) return undefined;
  if (docType !== "note") {
    throw new KnowledgeBaseError(
      "not_a_note",
      `Document ${id} must be a note for a change of its text, got ${docType}: only its title, tags, source_path ` +
        "and metadata can be edited. Nothing was changed",
    );
  }
  const before = noteText(db, id);
  const result = editText(before, edit);
  if (result.text.length > MAX_NOTE_CHARS) {
    throw new KnowledgeBaseError(
      "invalid",
      `A note must have at most ${MAX_NOTE_CHARS} characters, got ${result.text.length} with this edit: add a second note`,
    );
  }
  return result.text.trimEnd() === before ? undefined : result;
}

/** Returns the metadata with the edited fields, or null without any; undefined if it stays. */
function editedMetadata(before: Metadata | null, fields: Metadata | undefined): Metadata | null | undefined {
  if (!fields) return undefined;
  const isKept = ([name]: [string, unknown]) => fields[name] !== null;
  const after = Object.fromEntries(Object.entries({ ...before, ...fields }).filter(isKept));
  const json = JSON.stringify(after);
  if (json === JSON.stringify(before ?? {})) return undefined;
  if (json.length > MAX_METADATA_CHARS) {
    throw new KnowledgeBaseError(
      "invalid",
      `metadata must have at most ${MAX_METADATA_CHARS} characters as JSON, got ${json.length} with this edit`,
    );
  }
  return json === "{}" ? null : after;
}

/** Returns the title of the edited document. */
function editedTitle(
  db: DatabaseSync,
  document: DocumentRow,
  { given, text, metadata }: {
    readonly given: string | undefined;
    readonly text: ChangedText | undefined;
    readonly metadata: Metadata | null | undefined;
  },
): string {
  if (given !== undefined) return given;
  const isDerivedAgain = document.title_derived === 1 && (text !== undefined || metadata !== undefined);
  if (!isDerivedAgain) return document.title;
  const fields = metadata === undefined ? documentMetadata(db, document.id) : metadata;
  return cleanTitle(fields?.["title"]) ?? noteTitle(text?.text ?? noteText(db, document.id));
}

/** Returns the new path, or null for none; undefined if it stays. */
function editedPath(
  db: DatabaseSync,
  document: DocumentRow,
  path: string | null | undefined,
): string | null | undefined {
  if (path === undefined) return undefined;
  const stored = path === null ? null : storable(path);
  if (stored === document.source_path) return undefined;
  if (document.source !== null) {
    throw new KnowledgeBaseError(
      "invalid",
      `The source_path of document ${document.id} is that of its file in the source ${document.source}: rename the ` +
        "file instead. Nothing was changed",
    );
  }
  for (const form of stored === null ? [] : pathForms(stored)) requireFreePath(db, form, document.id);
  return stored;
}

function tagPlan(
  db: DatabaseSync,
  { id }: DocumentRow,
  { add_tags: add = [], remove_tags: remove = [] }: DocumentEdit,
): TagPlan | undefined {
  const collection = [...add, ...remove].find(isCollectionTag);
  if (collection !== undefined) {
    throw new KnowledgeBaseError(
      "invalid",
      `add_tags and remove_tags must not name a collection, got ${
        quoteText(collection)
      }: move the document instead`,
    );
  }
  const both = add.find((tag) => remove.includes(tag));
  if (both !== undefined) {
    throw new KnowledgeBaseError("invalid", `add_tags and remove_tags must not share ${quoteText(both)}`);
  }
  return planTags(db, id, { remove, add });
}

function textContent(
  db: DatabaseSync,
  document: DocumentRow,
  { text, title, titleDerived, metadata }: EditPlan,
  chunk: ChunkOptions,
): DocumentContent {
  // The bytes of front matter are not stored, so that the hash is that of the text.
  const source = noteSource(text?.text ?? "");
  const note = { ...source, title: undefined, metadata: undefined, tags: [] };
  const stored = metadata === undefined ? documentMetadata(db, document.id) : metadata;
  return {
    ...noteContent(note, title ?? document.title, chunk),
    titleDerived,
    metadata: stored ?? undefined,
  };
}

/** Returns the content of a document with another title, which the index and the vectors of its chunks include. */
function renamedContent(
  db: DatabaseSync,
  document: DocumentRow,
  { title, titleDerived, metadata }: EditPlan & { readonly title: string },
): DocumentContent {
  const { id, doc_type: docType, content_hash: contentHash, size_bytes: sizeBytes, warning } = document;
  const stored = metadata === undefined ? documentMetadata(db, id) : metadata;
  return {
    title,
    titleDerived,
    docType,
    contentHash,
    sizeBytes,
    metadata: stored ?? undefined,
    chunks: chunkDrafts(db, id),
    warning: warning ?? undefined,
    ...(docType === "note" && { noteText: noteText(db, id) }),
  };
}
