import { createHash } from "node:crypto";
import type { DatabaseSync } from "node:sqlite";
import type { Document, NotePatch } from "../../contract/mod.ts";
import { chunkText } from "../text/chunk.ts";
import { noteTitle } from "../text/title.ts";
import type { ChunkOptions } from "../text/types.ts";
import { StoreError } from "../writer/operations.ts";
import { type DocumentContent, documentRow, replaceContent } from "./documents.ts";
import { getDocument } from "./read_documents.ts";
import { storable } from "./sql.ts";

/** The text of a note, and what it is known by. */
export interface NoteSource {
  readonly text: string;
  readonly contentHash: string;
  readonly sizeBytes: number;
}

/**
 * A note's text with `\n` line ends. A multipart form turns them into `\r\n` and JSON does not, and the same note has to have
 * the same hash by either way.
 */
export function noteSource(text: string): NoteSource {
  const clean = storable(text).replace(/\r\n?/g, "\n");
  const bytes = new TextEncoder().encode(clean);
  return {
    text: clean,
    contentHash: createHash("sha256").update(bytes).digest("hex"),
    sizeBytes: bytes.length,
  };
}

/**
 * What a note is made of.
 *
 * @param title Its title; undefined: its first line.
 * @throws {StoreError} `invalid` when there is nothing in it to index.
 */
export function noteContent(
  source: NoteSource,
  title: string | undefined,
  options: ChunkOptions,
): DocumentContent {
  const text = source.text.normalize("NFC");
  const chunks = chunkText({ text, markup: "markdown", pageStarts: undefined }, options);
  if (chunks.length === 0) throw new StoreError("invalid", "A note must have text, got only white space");
  return {
    title: title ?? noteTitle(text),
    titleDerived: title === undefined,
    docType: "note",
    contentHash: source.contentHash,
    sizeBytes: source.sizeBytes,
    metadata: undefined,
    chunks,
  };
}

/**
 * Decision D3: gives a note new text, and a new title if there is one. Without one it keeps the title that it was
 * given; a title that was only the first line of the old text becomes the first line of the new. Nothing changes, not even
 * `updated_at`, when text and title are what they were.
 *
 * @returns The note with its chunks.
 * @throws {StoreError} `not_found` or `not_a_note`.
 */
export function updateNote(
  db: DatabaseSync,
  id: number,
  patch: NotePatch,
  options: ChunkOptions,
  now: string,
): Document {
  const note = documentRow(db, id);
  if (!note) throw noSuchDocument(id);
  if (note.doc_type !== "note") {
    throw new StoreError(
      "not_a_note",
      `Document ${id} must be a note to be updated, got ${note.doc_type}: send its file again instead`,
    );
  }
  const source = noteSource(patch.text);
  const isSame = source.contentHash === note.content_hash && (patch.title ?? note.title) === note.title;
  if (!isSame) {
    const title = patch.title ?? (note.title_derived ? undefined : note.title);
    replaceContent(db, id, noteContent(source, title, options), now);
  }
  return getDocument(db, id) ?? raise(noSuchDocument(id));
}

/** The refusal of a call about a document that is not there. */
export function noSuchDocument(id: number): StoreError {
  return new StoreError("not_found", `There is no document ${id}`);
}

function raise(error: Error): never {
  throw error;
}
