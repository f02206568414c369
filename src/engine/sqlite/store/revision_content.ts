import type { DatabaseSync } from "node:sqlite";
import { deflateSync, inflateSync } from "node:zlib";
import type { ChunkDraft } from "../../../extraction/mod.ts";
import { chunkDrafts } from "./chunks.ts";
import { storedNoteText } from "./note_texts.ts";
import { first } from "./sql.ts";

/** Text of a former version. Chunks are kept because the bytes of a file are not. */
export interface RevisionContent {
  readonly chunks: readonly ChunkDraft[];
  /** Exact text of a note, if its chunks do not reproduce it. */
  readonly noteText?: string;
}

/** A chunk in the stored form: without names, which would be most of a short note. */
type StoredChunk = readonly [
  text: string,
  headingPath: readonly string[],
  lineStart: number,
  lineEnd: number,
  charStart: number,
  charEnd: number,
  pages?: readonly [start: number, end: number] | null,
  repeatedChars?: number,
];

/** The lowest level: others save a tenth of the size, and a deleted book would block writes for a second. */
const COMPRESSION_LEVEL = 1;

/** Returns the stored form of a document's text: a JSON array of chunks and note text, in zlib format. */
export function packContent(db: DatabaseSync, documentId: number): Uint8Array {
  const { chunks, noteText } = currentContent(db, documentId);
  const packed = chunks.map(packChunk);
  const stored = noteText === undefined ? [packed] : [packed, noteText];
  return deflateSync(JSON.stringify(stored), { level: COMPRESSION_LEVEL });
}

/**
 * Returns the text of a version. A revision without content has that of the next newer version, which may be
 * the current one.
 */
export function readContent(db: DatabaseSync, documentId: number, version: number): RevisionContent {
  const stored = first<{ content: Uint8Array }>(
    db,
    `SELECT content FROM revisions WHERE document_id = ? AND version >= ? AND content IS NOT NULL
      ORDER BY version LIMIT 1`,
    documentId,
    version,
  );
  return stored ? unpackContent(stored.content) : currentContent(db, documentId);
}

/** Whether a stored text is complete. */
export function isReadableContent(data: Uint8Array): boolean {
  try {
    return Array.isArray(unpackContent(data).chunks);
  } catch {
    return false;
  }
}

function currentContent(db: DatabaseSync, documentId: number): RevisionContent {
  const noteText = storedNoteText(db, documentId);
  return { chunks: chunkDrafts(db, documentId), ...(noteText !== undefined && { noteText }) };
}

function packChunk(chunk: ChunkDraft): StoredChunk {
  const { text, repeatedChars, headingPath, lineStart, lineEnd, charStart, charEnd, pageStart, pageEnd } =
    chunk;
  const stored = [text, headingPath, lineStart, lineEnd, charStart, charEnd] as const;
  const pages = pageStart === undefined ? null : [pageStart, pageEnd ?? pageStart] as const;
  if (repeatedChars) return [...stored, pages, repeatedChars];
  return pages ? [...stored, pages] : stored;
}

function unpackContent(data: Uint8Array): RevisionContent {
  const [chunks, noteText] = JSON.parse(inflateSync(data).toString()) as [StoredChunk[], string?];
  return { chunks: chunks.map(unpackChunk), ...(noteText !== undefined && { noteText }) };
}

function unpackChunk(stored: StoredChunk): ChunkDraft {
  const [text, headingPath, lineStart, lineEnd, charStart, charEnd, pages, repeatedChars] = stored;
  const [pageStart, pageEnd] = pages ?? [];
  const chunk = { text, headingPath, lineStart, lineEnd, charStart, charEnd, pageStart, pageEnd };
  return repeatedChars ? { ...chunk, repeatedChars } : chunk;
}
