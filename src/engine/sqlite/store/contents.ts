/**
 * Texts that are too long to be written or removed in one transaction, for which other writes would wait.
 *
 * The chunks of a document have its id in `chunks.document_id`, unless a row of `contents` says otherwise: it names
 * the document of the chunks with its id, or none. A long text is written slice by slice under the id of such a row,
 * where no search or listing finds it. Then one small transaction gives the row its document. In the same way, one
 * update hides the former text of a document, and its chunks are removed later; see content_steps.ts.
 *
 * @module
 */
import type { DatabaseSync } from "node:sqlite";
import type { ChunkDraft } from "../../../extraction/mod.ts";
import { KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import { analyzeText, sampleOf, type TextAnalysis } from "./analysis.ts";
import { addChunks, type IndexedTitle, indexedTitle, removeChunks } from "./chunks.ts";
import { contentIdOf, newContentId } from "./content_ids.ts";
import { count, first, run } from "./sql.ts";

/** Maximum number of chunks of a text that is removed at once. Others are hidden, and removed in slices. */
export const MAX_REMOVED_CHUNKS = 256;

/** A written text that belongs to no document yet. */
export interface StagedContent {
  /** Id of its row in `contents`. */
  readonly id: number;
  readonly chunkCount: number;
  /** Languages that its chunks were indexed with. */
  readonly analysis: TextAnalysis;
}

/** Chunks of a text that is written in several transactions. */
export interface StagedChunks {
  /** Job that writes the text, which is given up when the job ends without it; null for another change. */
  readonly jobId: number | null;
  /** Id of the text; undefined for the first chunks. */
  readonly contentId: number | undefined;
  /** Title of the document, which belongs to every chunk in the index. */
  readonly title: string;
  /** Number of chunks before these. */
  readonly position: number;
  /** Next chunks in reading order. */
  readonly chunks: readonly ChunkDraft[];
}

interface StagedRow {
  language: string | null;
  stemmed_languages: string | null;
  analysis_version: number;
  chunk_count: number;
}

/**
 * Adds chunks to a text that no search finds yet. Its language is that of the first chunks. Chunks that were added
 * already, by a write whose outcome was unknown, are not added again.
 *
 * @returns Id of the text.
 */
export function stageChunks(
  db: DatabaseSync,
  { jobId, contentId, title, position, chunks }: StagedChunks,
): number {
  const indexed = indexedTitle(title);
  const id = contentId ?? startContent(db, jobId, indexed, chunks);
  const { chunkCount, analysis } = stagedContent(db, id);
  if (chunkCount > position) return id;
  addChunks(db, id, indexed, chunks, { languages: analysis.stemmed, firstPosition: chunkCount });
  run(db, "UPDATE contents SET chunk_count = chunk_count + ? WHERE id = ?", chunks.length, id);
  return id;
}

/**
 * Returns a staged text.
 *
 * @throws {KnowledgeBaseError} `invalid` if it was given up.
 */
export function stagedContent(db: DatabaseSync, id: number): StagedContent {
  const row = first<StagedRow>(
    db,
    "SELECT language, stemmed_languages, analysis_version, chunk_count FROM contents WHERE id = ? AND is_staged = 1",
    id,
  );
  if (!row) throw new KnowledgeBaseError("invalid", `There is no staged text ${id}`);
  const { language, stemmed_languages: stemmed, analysis_version: version, chunk_count: chunkCount } = row;
  return { id, chunkCount, analysis: { language, stemmed: stemmed?.split(" ") ?? [], version } };
}

function startContent(
  db: DatabaseSync,
  jobId: number | null,
  title: IndexedTitle,
  chunks: readonly ChunkDraft[],
): number {
  const sample = sampleOf(title.title, chunks.map(({ text }) => text));
  const { language, stemmed, version } = analyzeText(sample);
  return run(
    db,
    `INSERT INTO contents (id, is_staged, job_id, title, language, stemmed_languages, analysis_version, chunk_count)
     VALUES (?, 1, ?, ?, ?, ?, ?, 0)`,
    newContentId(db),
    jobId,
    title.searchTitle ?? title.title,
    language,
    stemmed.join(" ") || null,
    version,
  ).id;
}

/** Gives a staged text its document, whose former text must be detached. From here on it is found. */
export function attachContent(db: DatabaseSync, documentId: number, { id }: StagedContent): void {
  run(db, "UPDATE contents SET document_id = ?, is_staged = 0 WHERE id = ?", documentId, id);
}

/** Gives up a text, unless it has a document. Its chunks are removed later. */
export function discardContent(db: DatabaseSync, id: number): void {
  run(db, "UPDATE contents SET is_staged = 0 WHERE id = ? AND is_staged = 1", id);
}

/** Whether any text is being written, or was when the process was killed. */
export function hasStagedContent(db: DatabaseSync): boolean {
  return first(db, "SELECT 1 FROM contents WHERE is_staged = 1") !== undefined;
}

/** Gives up the texts that a killed process has not completed. */
export function discardStaged(db: DatabaseSync): void {
  run(db, "UPDATE contents SET is_staged = 0 WHERE is_staged = 1");
}

/** Returns the id for the chunks of a document that has no text: its own, unless hidden chunks have it. */
export function unusedContentId(db: DatabaseSync, documentId: number, title: IndexedTitle): number {
  if (!first(db, "SELECT 1 FROM contents WHERE id = ?", documentId)) return documentId;
  return run(
    db,
    "INSERT INTO contents (id, document_id, is_staged, title, chunk_count) VALUES (?, ?, 0, ?, 0)",
    newContentId(db),
    documentId,
    title.searchTitle ?? title.title,
  ).id;
}

/**
 * Takes its text from a document: removes it, or hides a long one until it is removed in slices. Must be called
 * before the title changes: FTS5 reads the indexed text again to find the terms to delete.
 */
export function detachContent(db: DatabaseSync, documentId: number): void {
  const id = contentIdOf(db, documentId);
  if (!isLong(db, id)) {
    removeChunks(db, id);
    run(db, "DELETE FROM contents WHERE document_id = ?", documentId);
    return;
  }
  run(
    db,
    `INSERT INTO contents (id, is_staged, title, chunk_count)
     SELECT ?1, 0, coalesce(search_title, title), chunk_count FROM documents WHERE id = ?2
         ON CONFLICT (id) DO UPDATE SET document_id = NULL, chunk_count = excluded.chunk_count`,
    id,
    documentId,
  );
}

/** Whether the chunks of a text are removed in slices. */
export function isLong(db: DatabaseSync, contentId: number): boolean {
  return count(
    db,
    "SELECT EXISTS (SELECT 1 FROM chunks WHERE document_id = ? LIMIT 1 OFFSET ?) AS n",
    contentId,
    MAX_REMOVED_CHUNKS,
  ) === 1;
}
