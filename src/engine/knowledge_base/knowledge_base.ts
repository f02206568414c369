import type * as z from "zod";
import type {
  DeletedDocument,
  Document,
  DocumentEdit,
  DocumentList,
  DocumentListRequest,
  DocumentPage,
  DocumentQuery,
  DocumentsQuery,
  DocumentTags,
  EditedDocument,
  EngineStatus,
  ImportRequest,
  ImportResult,
  Job,
  JobPage,
  JobsQuery,
  NotePatch,
  RestoredDocument,
  RestoreRequest,
  RevisionPage,
  SearchRequest,
  SearchResponse,
  SimilarNote,
  SimilarRequest,
  TagChange,
  TrashPage,
} from "../../contract/mod.ts";
import type { EncodedJson } from "../../data_structures/mod.ts";
import type { SearchPage } from "../../presentation/mod.ts";
import type { ChangeOptions, DeleteOptions } from "./change_options.ts";
import type { SourceStore } from "./source_store.ts";
import type { IngestionQueue, NewJob } from "./ingestion_queue.ts";

/** A range of a listing. */
export interface PageRange {
  /** Maximum number of items. */
  readonly limit: number;
  /** `next_cursor` of the previous page. */
  readonly cursor?: string | undefined;
}

/** How long to wait for the end of a job. */
export interface JobWait {
  /** Maximum time to wait, in milliseconds. */
  readonly waitMs: number;
  /** Ends the wait early. */
  readonly signal?: AbortSignal | undefined;
}

/** State of a storage: `ok`, or why writes fail. After `writer_failed`, only a restart of the process helps. */
export type StorageState = "ok" | "storage_full" | "read_only" | "storage_damaged" | "writer_failed";

/**
 * A storage and search back end of the engine. HTTP routes and ingestion depend on this interface only.
 *
 * Arguments have been validated against the contract's schemas. A promise of a change resolves only after the
 * change is durable. Methods throw {@linkcode KnowledgeBaseError}; `internal`, `storage_full`,
 * `read_only` and `storage_damaged` may come from any of them.
 */
export interface KnowledgeBase extends AsyncDisposable {
  /** Jobs to process, and the results to store. */
  readonly queue: IngestionQueue;
  /** Sources of documents. */
  readonly sources: SourceStore;
  /** Starts threads and loads indexes in the background, before the first request needs them. */
  warmUp(): Promise<void>;
  /** Whether only a restart of the process makes changes possible again. */
  readonly needsRestart: boolean;
  /** Returns whether documents can be stored now. */
  storageState(): Promise<StorageState>;
  /** Counts and state for `GET /status`, without the contract version. */
  status(): Promise<Omit<EngineStatus, "version">>;
  /**
   * Searches chunks by terms, by vectors, or by both.
   *
   * @param signal Aborts the request to the embedding model.
   * @throws {KnowledgeBaseError} `invalid` for a mode without embeddings, conflicting modes, a cursor of
   * another search.
   */
  search(request: SearchRequest, signal?: AbortSignal): Promise<EncodedJson<SearchResponse>>;
  /** Searches like `search`, and returns the results as a model reads them. @param today Date such as `2026-03-31`. */
  searchPage(request: SearchRequest, today: string, signal?: AbortSignal): Promise<SearchPage>;
  /**
   * Returns a page of the documents, most recently modified first. Throws `invalid` for an unknown cursor.
   */
  listDocuments(query: DocumentsQuery & { limit: number }): Promise<DocumentPage>;
  /**
   * Lists or counts the documents that pass filters. Throws `invalid` for an invalid time, a title without words,
   * an unknown cursor, or the cursor of another query.
   */
  queryDocuments(
    request: z.output<typeof DocumentListRequest>,
    signal?: AbortSignal,
  ): Promise<DocumentList>;
  /** Returns a document, or a former version of it, with a range of its chunks. */
  getDocument(id: number, query?: DocumentQuery): Promise<Document | undefined>;
  /**
   * Moves a document to the trash, or erases it. Either way it leaves every index and listing. Throws
   * `not_found`, `version_conflict`.
   */
  deleteDocument(id: number, options?: DeleteOptions): Promise<DeletedDocument>;
  /** Returns a page of the former versions of a document, newest first. Throws `not_found`, `invalid`. */
  listRevisions(id: number, query: PageRange): Promise<RevisionPage>;
  /** Returns a page of the trash, most recently deleted first. Throws `invalid` for an unknown cursor. */
  listTrash(query: PageRange): Promise<TrashPage>;
  /**
   * Restores a deleted document, or a former version of a document, as a new version. A vector of its text is
   * made again in the background. Throws `not_found`, `version_conflict`, and `conflict` if another document
   * has its path.
   */
  restoreDocument(id: number, request: RestoreRequest, options?: ChangeOptions): Promise<RestoredDocument>;
  /**
   * Removes tags, by name and by `remove_prefix`, then adds others, in one transaction. Sets `updated_at` if
   * anything changed (decision D4). Throws `not_found`, `version_conflict`, and `invalid` for two collections or
   * too many tags.
   */
  changeTags(id: number, change: TagChange, options?: ChangeOptions): Promise<DocumentTags>;
  /**
   * Replaces the text of a note, and keeps its id (decision D3). Front matter in the text replaces the
   * metadata; without any, the metadata stays. Throws `not_found`, `version_conflict`, `not_a_note`, `invalid`.
   */
  updateNote(id: number, patch: NotePatch, options?: ChangeOptions): Promise<Document>;
  /**
   * Changes title, tags, path, metadata or parts of the text of a document, all or nothing. Throws `not_found`,
   * `version_conflict`, `not_a_note`, `invalid`, and `conflict` with a `PathConflict` if the path is taken.
   */
  editDocument(id: number, edit: DocumentEdit, options?: ChangeOptions): Promise<EditedDocument>;
  /**
   * Stores documents as they were in another knowledge base or program. A document that cannot be stored fails
   * alone. Returns a result for each, in the same order.
   */
  importDocuments(
    request: z.output<typeof ImportRequest>,
    options?: Pick<ChangeOptions, "actor">,
  ): Promise<ImportResult[]>;
  /**
   * Returns notes that say nearly the same as a new one, most similar first, without those with the same text.
   * Advisory: none while too many comparisons run, and by words only if the embedding model does not respond at
   * once.
   */
  similarNotes(request: SimilarRequest, signal?: AbortSignal): Promise<SimilarNote[]>;
  /** Accepts a job. Throws `queue_full`. */
  createJob(job: NewJob): Promise<Job>;
  /** Returns a page of the jobs, newest first. Throws `invalid` for an unknown cursor. */
  listJobs(query: JobsQuery & { limit: number }): Promise<JobPage>;
  /**
   * Returns a job, or `undefined` if there never was one. Throws `expired` if it ended and was pruned.
   *
   * @param wait Waits until the job and those of its files have ended. Default: returns at once.
   */
  getJob(id: number, wait?: JobWait): Promise<Job | undefined>;
}
