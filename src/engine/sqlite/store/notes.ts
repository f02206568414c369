import type { DatabaseSync } from "node:sqlite";
import type { NotePatch } from "../../../contract/mod.ts";
import {
  type ChunkOptions,
  chunkText,
  cleanTitle,
  frontMatterTags,
  noteTitle,
  readFrontMatterSync,
} from "../../../extraction/notes/mod.ts";
import { normalizeUnicode } from "../../../text/mod.ts";
import { KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import { type DocumentContent, replaceContent } from "./documents.ts";
import { documentMetadata, type DocumentRow } from "./document_rows.ts";
import { type ChangeContext, recordRevision } from "./revisions.ts";
import { first } from "./sql.ts";
import { mergeTags } from "./tags.ts";
import { type NoteSource, noteSource } from "./note_source.ts";

/** A parsed note: its text without front matter, and the fields of the front matter. */
export interface ParsedNote extends NoteSource {
  readonly title: string | undefined;
  readonly metadata: Record<string, unknown> | undefined;
  /** May include `collection:` tags, which are dropped when the note is stored. */
  readonly tags: readonly string[];
}

/** Separates front matter from text, as in Markdown files. Hash and size remain those of the whole source. */
export function parseNote(source: NoteSource): ParsedNote {
  const whole = normalizeUnicode(source.text, "NFC");
  const found = readFrontMatterSync(whole);
  if (!found) return { ...source, text: whole, title: undefined, metadata: undefined, tags: [] };
  const { metadata, body } = found;
  return {
    ...source,
    text: body.replace(/^\s*\n/, ""),
    title: cleanTitle(metadata["title"]),
    metadata,
    tags: frontMatterTags(metadata),
  };
}

/**
 * Creates the content of a note, with its chunks.
 *
 * @param title Title given by the sender. Undefined: the title of the front matter, else the first line.
 * @throws {KnowledgeBaseError} `invalid` when the note has no text to index.
 */
export function noteContent(
  note: ParsedNote,
  title: string | undefined,
  options: ChunkOptions,
): DocumentContent {
  const { text, metadata } = note;
  const chunks = chunkText({ text, markup: "markdown", pageStarts: undefined }, options);
  if (chunks.length === 0) {
    throw new KnowledgeBaseError(
      "invalid",
      metadata
        ? "A note must have text, got only front matter: add text below it"
        : "A note must have text, got only white space",
    );
  }
  return {
    title: title ?? note.title ?? noteTitle(text),
    titleDerived: title === undefined,
    docType: "note",
    contentHash: note.contentHash,
    sizeBytes: note.sizeBytes,
    metadata,
    chunks,
    noteText: text,
  };
}

/**
 * Replaces the text of a note (decision D3), and its title if the patch has one.
 *
 * Front matter in the new text replaces the stored metadata, and its tags are added; text without front
 * matter keeps the stored metadata. Without a title in the patch, a title given earlier stays, and one
 * derived from the note is derived again. If neither text nor title differ, nothing changes, not even
 * `updated_at`.
 *
 * @throws {KnowledgeBaseError} `not_a_note`, or `invalid` when the text has nothing to index.
 */
export function updateNote(
  db: DatabaseSync,
  note: DocumentRow,
  patch: NotePatch,
  { chunk, ...context }: ChangeContext & { readonly chunk: ChunkOptions },
): void {
  const { id } = note;
  if (note.doc_type !== "note") {
    throw new KnowledgeBaseError(
      "not_a_note",
      `Document ${id} must be a note to be updated, got ${note.doc_type}: send its file again instead`,
    );
  }
  const source = noteSource(patch.text);
  const contentChanges = source.contentHash !== note.content_hash;
  if (!contentChanges && (patch.title ?? note.title) === note.title) return;
  const title = patch.title ?? (note.title_derived ? undefined : note.title);
  const parsed = parseNote(source);
  const kept = parsed.metadata ? null : documentMetadata(db, id);
  const content = noteContent(
    kept ? { ...parsed, title: cleanTitle(kept["title"]) } : parsed,
    title,
    chunk,
  );
  recordRevision(db, id, { ...context, change: contentChanges ? "text" : "metadata", contentChanges });
  replaceContent(db, id, kept ? { ...content, metadata: kept } : content);
  mergeTags(db, id, { requested: [], own: parsed.tags });
}

/** Whether any queued note may have front matter. */
export function queuedNotesMayHaveFrontMatter(db: DatabaseSync): boolean {
  return first(
    db,
    "SELECT 1 FROM jobs WHERE status = 'queued' AND spool_file IS NULL AND substr(text, 1, 3) = '---' LIMIT 1",
  ) !== undefined;
}
