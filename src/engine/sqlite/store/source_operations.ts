import type { DatabaseSync } from "node:sqlite";
import type { SyncReport } from "../../../contract/mod.ts";
import { MAX_SOURCES } from "../../../contract/rules/mod.ts";
import {
  type FileContentState,
  KnowledgeBaseError,
  type MovedFile,
  type NewSourceDocument,
  type SourceDefinition,
  type StoredSource,
  type StoredSourceDocument,
} from "../../knowledge_base/mod.ts";
import { DocumentOperations, type DocumentOptions } from "./document_operations.ts";
import { documentRow } from "./document_rows.ts";
import { sourceNamed, storedSource } from "./read_sources.ts";
import { actorOf, moveSourceDocument, storeSourceDocument, tagSourceDocument } from "./source_documents.ts";
import { markTrashedFile, putSourceFile, sourceFileRow } from "./source_files.ts";
import { count, run, storable } from "./sql.ts";

/** Changes of sources and their documents on the writing connection. Each must be called in a transaction. */
export class SourceOperations extends DocumentOperations {
  readonly #db: DatabaseSync;
  readonly #options: DocumentOptions;

  constructor(db: DatabaseSync, options: DocumentOptions) {
    super(db, options);
    this.#db = db;
    this.#options = options;
  }

  /** Adds a source, or changes the options of the one with its name. */
  putSource({ name, type, location, options, configured }: SourceDefinition): StoredSource {
    const before = sourceNamed(this.#db, name);
    // The configuration may name another folder, with the same files.
    const mayMove = configured && before?.type === type;
    if (before && !mayMove && (before.location !== location || before.type !== type)) {
      throw new KnowledgeBaseError(
        "conflict",
        `There is a source ${name} at another location: remove it first, or choose another name`,
      );
    }
    if (!before && count(this.#db, "SELECT count(*) AS n FROM sources") >= MAX_SOURCES) {
      throw new KnowledgeBaseError(
        "invalid",
        `There are ${MAX_SOURCES} sources, the maximum: remove one first`,
      );
    }
    const json = JSON.stringify(options);
    if (before) {
      run(
        this.#db,
        "UPDATE sources SET location = ?, options = ?, configured = ? WHERE id = ?",
        storable(location),
        json,
        configured ? 1 : 0,
        before.id,
      );
    }
    const id = before?.id ?? run(
      this.#db,
      "INSERT INTO sources (name, type, location, options, configured, created_at) VALUES (?, ?, ?, ?, ?, ?)",
      name,
      type,
      storable(location),
      json,
      configured ? 1 : 0,
      this.#options.now(),
    ).id;
    return this.#source(id);
  }

  /** Marks every source whose name is not listed as one that the configuration does not define. */
  setConfigured(names: readonly string[]): void {
    run(
      this.#db,
      "UPDATE sources SET configured = 0 WHERE configured = 1 AND name NOT IN (SELECT value FROM json_each(?))",
      JSON.stringify(names),
    );
  }

  /** Stores the report of a synchronization. */
  reportSync(id: number, report: SyncReport): void {
    run(this.#db, "UPDATE sources SET last_sync = ? WHERE id = ?", JSON.stringify(report), id);
  }

  /** Removes a source with its list of files. Its documents become independent. */
  removeSource(id: number): void {
    run(
      this.#db,
      "UPDATE documents SET source = NULL WHERE id IN (SELECT document_id FROM source_files WHERE source_id = ?)",
      id,
    );
    run(this.#db, "DELETE FROM source_files WHERE source_id = ?", id);
    run(this.#db, "DELETE FROM sources WHERE id = ?", id);
  }

  /** Stores the document of a file. */
  storeSourceFile(file: NewSourceDocument): StoredSourceDocument {
    const source = this.#source(file.sourceId);
    const row = sourceFileRow(this.#db, source.id, file.path);
    const stored = storeSourceDocument(this.#db, { source, file, row }, this.changeContext(actorOf(source)));
    putSourceFile(this.#db, file, {
      documentId: stored.documentId,
      tags: { given: file.givenTags, own: file.document.tags },
    });
    return stored;
  }

  /** Records why a file has no document. The document of its former content moves to the trash. */
  failSourceFile(file: FileContentState, error: { readonly code: string; readonly message: string }): void {
    const source = this.#source(file.sourceId);
    const row = sourceFileRow(this.#db, source.id, file.path);
    this.#trash(row?.document_id ?? null, source);
    putSourceFile(this.#db, file, { documentId: row?.document_id ?? null, error });
  }

  /** Records that files have been read again and are the same. */
  touchSourceFiles(files: readonly FileContentState[]): void {
    for (const { sourceId, path, state, contentHash, details } of files) {
      run(
        this.#db,
        `UPDATE source_files SET size_bytes = ?, mtime = ?, ctime = ?, checked_at = ?, content_hash = ?,
                                 details = coalesce(?, details) WHERE source_id = ? AND path = ?`,
        state.size,
        Math.trunc(state.mtime),
        Math.trunc(state.ctime),
        Math.trunc(state.checkedAt),
        contentHash,
        details === undefined ? null : JSON.stringify(details),
        sourceId,
        storable(path),
      );
    }
  }

  /** Moves a file to a new path, with its document. */
  moveSourceFile({ sourceId, path, to, state, mustRead }: MovedFile): void {
    const source = this.#source(sourceId);
    const row = sourceFileRow(this.#db, sourceId, path);
    if (!row) throw new KnowledgeBaseError("not_found", "There is no such file in the source");
    if (row.document_id !== null && documentRow(this.#db, row.document_id)) {
      moveSourceDocument(
        this.#db,
        { id: row.document_id, source, to },
        this.changeContext(actorOf(source)),
      );
    }
    // A path whose file has failed, or was replaced: its document is another one.
    const replaced = sourceFileRow(this.#db, sourceId, to);
    if (replaced) run(this.#db, "DELETE FROM source_files WHERE id = ?", replaced.id);
    run(
      this.#db,
      `UPDATE source_files SET path = ?, size_bytes = ?, mtime = ?, ctime = ?, checked_at = ?,
                               content_hash = iif(?, NULL, content_hash) WHERE id = ?`,
      storable(to),
      state.size,
      Math.trunc(state.mtime),
      Math.trunc(state.ctime),
      Math.trunc(state.checkedAt),
      mustRead ? 1 : 0,
      row.id,
    );
  }

  /** Applies changed tags of a source to the documents of files. */
  tagSourceFiles(sourceId: number, paths: readonly string[], given: readonly string[]): void {
    const source = this.#source(sourceId);
    for (const path of paths) {
      const row = sourceFileRow(this.#db, sourceId, path);
      if (!row) continue;
      if (row.document_id !== null && documentRow(this.#db, row.document_id)) {
        const own = JSON.parse(row.own_tags) as string[];
        tagSourceDocument(
          this.#db,
          { id: row.document_id, row, tags: { given, own } },
          this.changeContext(actorOf(source)),
        );
      }
      run(this.#db, "UPDATE source_files SET given_tags = ? WHERE id = ?", JSON.stringify(given), row.id);
    }
  }

  /**
   * Forgets files, and moves their documents to the trash, from where they return with the files. Returns the number of
   * documents.
   */
  removeSourceFiles(sourceId: number, paths: readonly string[]): number {
    const source = this.#source(sourceId);
    let removed = 0;
    for (const path of paths) {
      const row = sourceFileRow(this.#db, sourceId, path);
      if (!row) continue;
      // First: a document in the trash that has a file returns to its source when it is restored.
      run(this.#db, "DELETE FROM source_files WHERE id = ?", row.id);
      if (this.#trash(row.document_id, source)) removed++;
      markTrashedFile(this.#db, row, { sourceId, path });
    }
    return removed;
  }

  #trash(documentId: number | null, source: StoredSource): boolean {
    if (documentId === null || !documentRow(this.#db, documentId)) return false;
    this.deleteDocument(documentId, { actor: actorOf(source) });
    return true;
  }

  #source(id: number): StoredSource {
    const source = storedSource(this.#db, id);
    if (!source) throw new KnowledgeBaseError("not_found", `There is no source ${id}`);
    return source;
  }
}
