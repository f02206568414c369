import type { DatabaseSync } from "node:sqlite";
import { deflateSync, inflateSync } from "node:zlib";
import type { Chunk } from "../../../contract/mod.ts";
import type { ChunkDraft } from "../../../extraction/mod.ts";
import { chunksOf } from "./chunks.ts";
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
  pages?: readonly [start: number, end: number],
];

/** The lowest level: others save a tenth of the size, and a deleted book would block writes for a second. */
const COMPRESSION_LEVEL = 1;

/** Returns the stored form of a document's text: a JSON array of chunks and note text, in zlib format. */
export function packContent(db: DatabaseSync, documentId: number): Uint8Array {
  const chunks = chunksOf(db, documentId, 0, undefined).map(pack);
  const noteText = first<{ text: string }>(
    db,
    "SELECT text FROM note_texts WHERE document_id = ?",
    documentId,
  )?.text;
  const stored = noteText === undefined ? [chunks] : [chunks, noteText];
  return deflateSync(JSON.stringify(stored), { level: COMPRESSION_LEVEL });
}

function pack(chunk: Chunk): StoredChunk {
  const { text, heading_path, line_start, line_end, char_start, char_end, page_start, page_end } = chunk;
  const range = [line_start ?? 1, line_end ?? 1, char_start ?? 0, char_end ?? 0] as const;
  const stored = [text, heading_path ?? [], ...range] as const;
  return typeof page_start === "number" ? [...stored, [page_start, page_end ?? page_start]] : stored;
}

/** Reads the stored form of a text. */
export function unpackContent(data: Uint8Array): RevisionContent {
  const [chunks, noteText] = JSON.parse(inflateSync(data).toString()) as [StoredChunk[], string?];
  return {
    chunks: chunks.map(([text, headingPath, lineStart, lineEnd, charStart, charEnd, pages]) => ({
      text,
      headingPath,
      lineStart,
      lineEnd,
      charStart,
      charEnd,
      pageStart: pages?.[0],
      pageEnd: pages?.[1],
    })),
    ...(noteText !== undefined && { noteText }),
  };
}
