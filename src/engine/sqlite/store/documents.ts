import type { DatabaseSync } from "node:sqlite";
import type { PreparedText } from "../../knowledge_base/mod.ts";
import type { DocType } from "../../../contract/mod.ts";
import type { ChunkDraft } from "../../../extraction/mod.ts";
import { analyzeText, sampleOf, type TextAnalysis } from "./analysis.ts";
import { addChunks, type IndexedTitle, indexedTitle } from "./chunks.ts";
import { attachContent, detachContent, type StagedContent, unusedContentId } from "./contents.ts";
import { removeNoteText, storeNoteText } from "./note_texts.ts";
import { run, storable } from "./sql.ts";
import { removeTagsOf } from "./tags.ts";

/** Content of a document, from a note or a file. */
export interface DocumentContent {
  readonly title: string;
  /** Whether the title was derived from the text. */
  readonly titleDerived: boolean;
  readonly docType: DocType;
  readonly contentHash: string;
  readonly sizeBytes: number;
  readonly metadata: Record<string, unknown> | undefined;
  readonly chunks: readonly ChunkDraft[];
  /** Index of the chunks, if it was computed already. Ignored if it was computed for another title. */
  readonly prepared?: PreparedText | undefined;
  /** Chunks that are stored already, in place of `chunks`. */
  readonly staged?: StagedContent | undefined;
  /** Text of a note. */
  readonly noteText?: string;
  /** Doubts about the text. */
  readonly warning?: string | undefined;
}

/** Columns of a new document that are not content. */
export interface NewDocument {
  readonly sourcePath: string | undefined;
  readonly createdAt: string;
  /** Who creates it. */
  readonly actor: string | undefined;
  /** Name of the source that it follows. */
  readonly source?: string;
  /** Identity of a document that was deleted, or that comes from another knowledge base. */
  readonly restored?: {
    /** Default: the next free id. */
    readonly id?: number | undefined;
    readonly version: number;
    readonly updatedAt: string | null;
  };
}

/** Stores a new document with its chunks. Returns its id. */
export function insertDocument(
  db: DatabaseSync,
  content: DocumentContent,
  { sourcePath, createdAt, actor, source, restored }: NewDocument,
): number {
  const title = indexedTitle(content.title);
  const analysis = analysisOf(content);
  const { id } = run(
    db,
    `INSERT INTO documents (id, version, updated_at, changed_by, created_at, title, search_title, title_derived,
                            doc_type, source_path, content_hash, size_bytes, metadata, chunk_count,
                            language, stemmed_languages, analysis_version, source, warning)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    restored?.id ?? null,
    restored?.version ?? 1,
    restored?.updatedAt ?? null,
    actor === undefined ? null : storable(actor),
    createdAt,
    title.title,
    title.searchTitle,
    content.titleDerived ? 1 : 0,
    content.docType,
    sourcePath ?? null,
    content.contentHash,
    content.sizeBytes,
    content.metadata === undefined ? null : JSON.stringify(content.metadata),
    content.staged?.chunkCount ?? content.chunks.length,
    ...analysisColumns(analysis),
    source ?? null,
    content.warning ?? null,
  );
  addContent(db, id, { title, content, analysis });
  return id;
}

/**
 * Replaces the content of a document. Keeps its id, path, tags and creation time. Must be recorded first; see
 * `recordRevision`.
 */
export function replaceContent(db: DatabaseSync, id: number, content: DocumentContent): void {
  detachContent(db, id);
  removeNoteText(db, id);
  const title = indexedTitle(content.title);
  const analysis = analysisOf(content);
  run(
    db,
    `UPDATE documents SET title = ?, search_title = ?, title_derived = ?, doc_type = ?, content_hash = ?,
                          size_bytes = ?, metadata = ?, chunk_count = ?, language = ?, stemmed_languages = ?, analysis_version = ?,
                          warning = ?
      WHERE id = ?`,
    title.title,
    title.searchTitle,
    content.titleDerived ? 1 : 0,
    content.docType,
    content.contentHash,
    content.sizeBytes,
    content.metadata === undefined ? null : JSON.stringify(content.metadata),
    content.staged?.chunkCount ?? content.chunks.length,
    ...analysisColumns(analysis),
    content.warning ?? null,
    id,
  );
  addContent(db, id, { title, content, analysis });
}

/** Gives a document without text the text of its content. */
function addContent(
  db: DatabaseSync,
  id: number,
  { title, content, analysis }: {
    readonly title: IndexedTitle;
    readonly content: DocumentContent;
    readonly analysis: TextAnalysis;
  },
): void {
  const { chunks, staged, noteText } = content;
  if (staged) attachContent(db, id, staged);
  else {
    const options = { languages: analysis.stemmed, prepared: preparedOf(content) };
    addChunks(db, unusedContentId(db, id, title), title, chunks, options);
  }
  if (noteText !== undefined) storeNoteText(db, id, { text: noteText, chunks });
}

function analysisOf(content: DocumentContent): TextAnalysis {
  const { title, chunks, staged } = content;
  return staged?.analysis ?? preparedOf(content) ??
    analyzeText(sampleOf(title, chunks.map(({ text }) => text)));
}

function preparedOf({ title, chunks, prepared }: DocumentContent): PreparedText | undefined {
  return prepared?.title === title && prepared.chunks.length === chunks.length ? prepared : undefined;
}

function analysisColumns(
  { language, stemmed, version }: TextAnalysis,
): [string | null, string | null, number] {
  return [language, stemmed.join(" ") || null, version];
}

/** Deletes a document from every table and index. Jobs keep its id, which is never reused. */
export function removeDocument(db: DatabaseSync, id: number): void {
  detachContent(db, id);
  removeTagsOf(db, id);
  run(db, "DELETE FROM documents WHERE id = ?", id);
}
