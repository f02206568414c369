import type { DatabaseSync } from "node:sqlite";
import { deflateSync, inflateSync } from "node:zlib";
import type { ChunkDraft } from "../../../extraction/mod.ts";
import { chunkDrafts, contentDrafts } from "./chunks.ts";
import { contentIdOf } from "./content_ids.ts";
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

/** Number of chunks of a long text that are read at once. */
const SLICE_CHUNKS = 256;

/** Returns the stored form of a document's text: a JSON array of chunks and note text, in zlib format. */
export function packContent(db: DatabaseSync, documentId: number): Uint8Array {
  const { chunks, noteText } = currentContent(db, documentId);
  return packChunks(chunks, noteText);
}

/** Returns the stored form of chunks, and of the exact text of a note. */
export function packChunks(chunks: readonly ChunkDraft[], noteText?: string): Uint8Array {
  const packed = chunks.map(packChunk);
  const stored = noteText === undefined ? [packed] : [packed, noteText];
  return deflateSync(JSON.stringify(stored), { level: COMPRESSION_LEVEL });
}

/**
 * Returns the text of a version. A revision without content has that of the next newer version, which may be
 * the current one.
 */
export function readContent(db: DatabaseSync, documentId: number, version: number): RevisionContent {
  const stored = storedText(db, documentId, version);
  if (stored?.content) return unpackContent(stored.content);
  if (stored?.content_id) return { chunks: [...longContent(db, stored.content_id)].flat() };
  return currentContent(db, documentId);
}

/** Position in the text of a version, of which a slice is read. */
export interface SlicePosition {
  readonly documentId: number;
  readonly version: number;
  /** Position of the first chunk. A multiple of `limit`, which is the number of chunks that are packed together. */
  readonly from: number;
  /** Maximum number of chunks. */
  readonly limit: number;
}

/** Returns some chunks of a version that is too long to be read at once. */
export function readSlice(
  db: DatabaseSync,
  { documentId, version, from, limit }: SlicePosition,
): readonly ChunkDraft[] {
  const stored = storedText(db, documentId, version);
  if (stored?.content_id) return contentSlice(db, stored.content_id, { from, limit });
  if (stored?.content) return unpackContent(stored.content).chunks.slice(from, from + limit);
  return contentDrafts(db, contentIdOf(db, documentId), { from, limit });
}

interface StoredText {
  content: Uint8Array | null;
  /** Id of a row of `contents`. */
  content_id: number | null;
}

function storedText(db: DatabaseSync, documentId: number, version: number): StoredText | undefined {
  return first(
    db,
    `SELECT content, content_id FROM revisions
      WHERE document_id = ? AND version >= ? AND (content IS NOT NULL OR content_id IS NOT NULL)
      ORDER BY version LIMIT 1`,
    documentId,
    version,
  );
}

/** Yields the chunks of a hidden text in reading order: the first ones may be packed already. */
function* longContent(db: DatabaseSync, contentId: number): Generator<readonly ChunkDraft[]> {
  for (let from = 0;;) {
    const chunks = contentSlice(db, contentId, { from, limit: SLICE_CHUNKS });
    if (chunks.length === 0) return;
    yield chunks;
    from += chunks.length;
  }
}

/** Returns the packed chunks from a position on, or else those that are not packed yet. */
function contentSlice(
  db: DatabaseSync,
  contentId: number,
  range: { readonly from: number; readonly limit: number },
): readonly ChunkDraft[] {
  const part = first<{ chunks: Uint8Array }>(
    db,
    "SELECT chunks FROM content_parts WHERE content_id = ? AND position = ?",
    contentId,
    range.from,
  );
  return part ? unpackContent(part.chunks).chunks : contentDrafts(db, contentId, range);
}

/** Returns the number of chunks of a stored text; 0 if it is damaged. */
export function countChunks(data: Uint8Array): number {
  try {
    return unpackContent(data).chunks.length;
  } catch {
    return 0;
  }
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
