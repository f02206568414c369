import type { DatabaseSync } from "node:sqlite";
import type * as z from "zod";
import type {
  DeletedDocument,
  Document,
  DocumentEdit,
  DocumentQuery,
  DocumentTags,
  EditedDocument,
  ImportRequest,
  ImportResult,
  NotePatch,
  RestoredDocument,
  RestoreRequest,
  TagChange,
} from "../../../contract/mod.ts";
import type { ChunkOptions } from "../../../extraction/mod.ts";
import { type ChangeOptions, type DeleteOptions, KnowledgeBaseError } from "../../knowledge_base/mod.ts";
import { attachmentsInTrash, attachmentsToDelete } from "./attachments.ts";
import { editDocument } from "./edit_document.ts";
import { importDocument } from "./import_document.ts";
import { updateNote } from "./notes.ts";
import { getDocument } from "./read_documents.ts";
import { documentNotFound, requireDocument } from "./require_document.ts";
import { discardContent, stageChunks, type StagedChunks } from "./contents.ts";
import { restoreAttachment, restoreDocument, type RestoreOptions } from "./restore.ts";
import { addDays, DEFAULT_RETENTION, type Retention } from "./retention.ts";
import { type ChangeContext, recordRevision, trashedRevision } from "./revisions.ts";
import { savepoint } from "./sql.ts";
import { throwIfStorageFailure } from "./storage_errors.ts";
import { applyTags, changesCollection, planTags, tagsOf } from "./tags.ts";
import { eraseDocument, trashDocument } from "./trash.ts";
import { addUses, type DocumentUses } from "./usage.ts";

/** Settings of {@linkcode DocumentOperations}. */
export interface DocumentOptions {
  /** Chunk sizes for notes. */
  readonly chunk: ChunkOptions;
  /** How long former versions and deleted documents are kept. @default {DEFAULT_RETENTION} */
  readonly retention?: Retention;
  /** Clock, in the format of `timestamp`. */
  readonly now: () => string;
}

/** Changes of stored documents on the writing connection. Each must be called in a transaction. */
export class DocumentOperations {
  readonly #db: DatabaseSync;
  readonly #options: DocumentOptions;
  readonly #retention: Retention;

  constructor(db: DatabaseSync, options: DocumentOptions) {
    this.#db = db;
    this.#options = options;
    this.#retention = options.retention ?? DEFAULT_RETENTION;
  }

  /**
   * Moves a document to the trash, or erases it. The attachments of a message go with it; see
   * {@linkcode attachmentsToDelete}.
   *
   * @throws {KnowledgeBaseError} `not_found` or `version_conflict`.
   */
  deleteDocument(id: number, options: DeleteOptions = {}): DeletedDocument {
    const { trashDays } = this.#retention;
    const mayBeDeleted = options.permanent && options.ifVersion === undefined;
    const trashed = mayBeDeleted ? trashedRevision(this.#db, id) : undefined;
    const { title } = trashed ?? requireDocument(this.#db, id, options);
    const deleted = { status: "deleted" as const, document_id: id, title };
    const isErased = options.permanent || trashDays === 0;
    const attachments = trashed
      ? attachmentsInTrash(this.#db, id)
      : attachmentsToDelete(this.#db, id, { keepsTrashed: isErased });
    const context = this.changeContext(options.actor);
    for (const each of [...attachments, id]) {
      if (isErased) eraseDocument(this.#db, each);
      else trashDocument(this.#db, each, context);
    }
    if (isErased) return deleted;
    return { ...deleted, restorable_until: addDays(context.now, trashDays) };
  }

  /**
   * Writes the next chunks of a text that is too long for one transaction, for a change that follows. Returns the id of
   * the text. See contents.ts.
   */
  stageText(chunks: Omit<StagedChunks, "jobId">): number {
    return stageChunks(this.#db, { ...chunks, jobId: null });
  }

  /** Gives up a text of {@linkcode DocumentOperations.stageText}, unless it has a document. */
  discardText(contentId: number): void {
    discardContent(this.#db, contentId);
  }

  /**
   * Restores a former version of a document, and the attachments that were deleted with it. See
   * {@linkcode restoreDocument}.
   *
   * @param options.staged Text of this version, which is written already.
   * @throws {KnowledgeBaseError} `not_found`, `version_conflict` or `conflict`.
   */
  restoreDocument(
    id: number,
    { version }: RestoreRequest,
    options: ChangeOptions & Pick<RestoreOptions, "staged"> = {},
  ): RestoredDocument {
    const { ifVersion, staged } = options;
    const context = this.changeContext(options.actor);
    const attachments = attachmentsInTrash(this.#db, id);
    const restored = restoreDocument(this.#db, id, { version, ifVersion, staged }, context);
    for (const each of attachments) restoreAttachment(this.#db, each, context);
    if (staged) discardContent(this.#db, staged.contentId);
    return { ...this.#document(id, { chunks: false }), restored_version: restored };
  }

  /**
   * Changes the tags of a document. See {@linkcode planTags}.
   *
   * @throws {KnowledgeBaseError} `not_found`, `version_conflict` or `invalid`.
   */
  changeTags(id: number, tagChange: TagChange, options: ChangeOptions = {}): DocumentTags {
    requireDocument(this.#db, id, options);
    const plan = planTags(this.#db, id, tagChange);
    if (plan) {
      const change = changesCollection(plan) ? "collection" : "tags";
      recordRevision(this.#db, id, {
        ...this.changeContext(options.actor),
        change,
        contentChanges: false,
      });
      applyTags(this.#db, id, plan);
    }
    const { updated_at, version } = requireDocument(this.#db, id);
    return { document_id: id, tags: tagsOf(this.#db, id), updated_at, version };
  }

  /**
   * Replaces the text of a note. See {@linkcode updateNote}.
   *
   * @throws {KnowledgeBaseError} `not_found`, `version_conflict`, `not_a_note` or `invalid`.
   */
  updateNote(id: number, patch: NotePatch, options: ChangeOptions = {}): Document {
    const note = requireDocument(this.#db, id, options);
    updateNote(this.#db, note, patch, {
      ...this.changeContext(options.actor),
      chunk: this.#options.chunk,
    });
    return this.#document(id);
  }

  /**
   * Changes parts of a document. See {@linkcode editDocument}.
   *
   * @throws {KnowledgeBaseError} `not_found`, `version_conflict`, `not_a_note`, `conflict` or `invalid`.
   */
  editDocument(id: number, edit: DocumentEdit, options: ChangeOptions = {}): EditedDocument {
    const document = requireDocument(this.#db, id, options);
    const context = this.changeContext(options.actor);
    const { hasChanged, excerpts } = editDocument(this.#db, document, edit, {
      ...context,
      chunk: this.#options.chunk,
    });
    return {
      ...this.#document(id, { chunks: false }),
      changed: hasChanged,
      ...(hasChanged && context.maxRevisions > 0 && { restorable_version: document.version }),
      ...(excerpts && { excerpts: excerpts.map((excerpt) => ({ ...excerpt })) }),
    };
  }

  /**
   * Stores documents of another knowledge base or program. See {@linkcode importDocument}.
   *
   * All share one savepoint. After an unexpected error, each gets its own, which takes twice as long.
   */
  importDocuments(
    request: z.output<typeof ImportRequest>,
    { actor }: Pick<ChangeOptions, "actor"> = {},
  ): ImportResult[] {
    const { documents, ...options } = request;
    const context = this.changeContext(actor);
    const importOne = (document: typeof documents[number]): ImportResult => {
      try {
        return importDocument(this.#db, document, { ...options, chunk: this.#options.chunk }, context);
      } catch (error) {
        // These errors precede any change.
        if (!(error instanceof KnowledgeBaseError)) throw error;
        return { status: "failed", code: error.code, error: error.message };
      }
    };
    try {
      return savepoint(this.#db, () => documents.map(importOne));
    } catch (error) {
      throwIfStorageFailure(error);
      return documents.map((document) => this.#importOrFail(() => importOne(document)));
    }
  }

  #importOrFail(importOne: () => ImportResult): ImportResult {
    try {
      return savepoint(this.#db, importOne);
    } catch (error) {
      throwIfStorageFailure(error);
      return { status: "failed", code: "internal", error: "The document could not be stored" };
    }
  }

  /** Adds uses of documents. See {@linkcode addUses}. */
  addUses(added: readonly DocumentUses[]): void {
    addUses(this.#db, added);
  }

  /** Returns the circumstances of a change that is made now. */
  protected changeContext(actor: string | undefined): ChangeContext {
    return { now: this.#options.now(), actor, maxRevisions: this.#retention.maxRevisions };
  }

  #document(id: number, query?: DocumentQuery): Document {
    const document = getDocument(this.#db, id, query);
    if (!document) throw documentNotFound(id);
    return document;
  }
}
