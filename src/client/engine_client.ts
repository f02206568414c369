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
  Id,
  ImportRequest,
  ImportResponse,
  Job,
  JobAccepted,
  JobPage,
  JobsQuery,
  NewSource,
  NewSourceFile,
  NotePatch,
  PageQuery,
  RemovedSource,
  RemoveSourceQuery,
  RestoredDocument,
  RestoreRequest,
  RevisionPage,
  SearchRequest,
  SearchResponse,
  SimilarNotes,
  SimilarRequest,
  Source,
  SyncRequest,
  TagChange,
  TrashPage,
  WrittenFile,
} from "../contract/mod.ts";
import type { SearchPage } from "../presentation/mod.ts";
import { EngineAdapter, JobSubmitter, type NewJobField, type SubmittedJob } from "./adapter/mod.ts";
import type { FileSource } from "./multipart.ts";
import type {
  CallOptions,
  ChangeOptions,
  DeleteOptions,
  EngineClientOptions,
  RequireOptions,
} from "./options.ts";
import { Transport } from "./transport.ts";
import { waitForJob, type WaitOptions } from "./wait_for_job.ts";

/** Metadata of a note or file. */
export interface DocumentMetadata {
  /** Default: the engine derives a title. */
  readonly title?: string | undefined;
  /** Stable name of the source. New content with the same name replaces the old. */
  readonly source_path?: string | undefined;
  /** All tags, including the collection tag. */
  readonly tags: readonly string[];
  /** Replaces whatever is at the `source_path`. @default {false} */
  readonly overwrite?: boolean | undefined;
  /** A document that is stored already keeps its collection. @default {false} */
  readonly keepCollection?: boolean | undefined;
  /**
   * Changes no document that is stored already. An engine before contract 3.7, or of an unknown version, is not called:
   * `engine_too_old`. @default {false}
   */
  readonly addOnly?: boolean | undefined;
}

/** A note to add. */
export interface NewNote extends DocumentMetadata {
  /** Text of the note. */
  readonly text: string;
}

/** A file to add. It is streamed and never held in memory. */
export interface NewFile extends DocumentMetadata, FileSource {}

/**
 * Client of a knowledge base engine, remote or in this process. Results follow contract v3 for every engine.
 *
 * Every method rejects with an `EngineError` and nothing else; its `code` says what to do. Reads are tried up
 * to three times, writes once. A client holds no connection and needs no closing. Calls may run concurrently.
 *
 * @example
 * ```ts
 * import { EngineClient } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 * const client = new EngineClient({
 *   baseUrl: "http://embedded",
 *   fetch: () => Promise.resolve(Response.json({ job_id: 7, status: "done", document_id: 3 })),
 * });
 * assertEquals((await client.job(7)).document_id, 3);
 * ```
 */
export class EngineClient {
  readonly #transport: Transport;
  readonly #engine: EngineAdapter;
  readonly #jobs: JobSubmitter;

  /**
   * Creates a client. Connects on the first call.
   *
   * @throws {TypeError} If `baseUrl` or `apiKey` is invalid.
   */
  constructor(options: EngineClientOptions) {
    this.#transport = new Transport(options);
    this.#engine = new EngineAdapter(this.#transport, options.version);
    this.#jobs = new JobSubmitter(() => this.#transport.now());
  }

  /** Base URL of the engine without a trailing slash. */
  get baseUrl(): string {
    return this.#transport.engine.url;
  }

  /** Returns the engine's version, model, counts and queue. */
  status(options?: CallOptions): Promise<EngineStatus> {
    return this.#engine.status(options);
  }

  /**
   * Checks that the engine has a feature. Requests its status only until it has shown a sufficient version.
   *
   * @param feature Name of the tool or parameter, for the message.
   * @throws {EngineError} `engine_too_old`, with a message that names the feature and both versions.
   */
  requireVersion(feature: string, options?: RequireOptions): Promise<void> {
    return this.#engine.requireVersion(feature, options);
  }

  /** Returns matching chunks, best first. */
  search(request: SearchRequest, options?: CallOptions): Promise<SearchResponse> {
    return this.#engine.search(request, options);
  }

  /**
   * Returns matching chunks as a model reads them, best first.
   *
   * @param options.today Date such as `2026-03-31`: a memory of this day has no date.
   */
  searchPage(
    request: SearchRequest,
    { today, ...options }: CallOptions & { readonly today: string },
  ): Promise<SearchPage> {
    return this.#engine.searchPage(request, today, options);
  }

  /** Submits a note. Once accepted it is durable. */
  addNote({ text, ...metadata }: NewNote, options?: ChangeOptions): Promise<SubmittedJob> {
    return this.#submit(metadata, options, (fields) => {
      fields.append("text", text);
      return this.#engine.change("createJob", { fields }, options);
    });
  }

  /**
   * Submits a file while reading it. Fails with `invalid` if the stream does not have exactly `size` bytes.
   */
  addFile(file: NewFile, options?: ChangeOptions): Promise<SubmittedJob> {
    return this.#submit(
      file,
      options,
      (fields) => this.#engine.change("createJob", { fields, file }, options),
    );
  }

  /** Returns a page of jobs, newest first. */
  jobs(query: JobsQuery = {}, options?: CallOptions): Promise<JobPage> {
    return this.#engine.call("listJobs", { query }, options);
  }

  /**
   * Returns a job.
   *
   * @param options.waitMs Maximum time that the engine waits until the job and those of its files have ended, in
   * milliseconds; within the timeout of the call. Engines before contract 3.6 ignore it. @default {0}
   */
  job(id: Id, { waitMs = 0, ...options }: CallOptions & { readonly waitMs?: number } = {}): Promise<Job> {
    const query = waitMs === 0 ? {} : { query: { wait_ms: waitMs } };
    return this.#engine.call("getJob", { id, ...query }, options);
  }

  /**
   * Cancels a queued or processing job. Fails with `conflict` if it has ended.
   *
   * @throws {EngineError} `engine_too_old` before contract 3.5.
   */
  async cancelJob(id: Id, options: ChangeOptions = {}): Promise<Job> {
    await this.#requireJobControl("Cancelling a job", options);
    return await this.#engine.change("cancelJob", { id }, options);
  }

  /**
   * Queues a failed or cancelled job again, with its id. Fails with `conflict` if its file or note is no longer kept.
   *
   * @throws {EngineError} `engine_too_old` before contract 3.5.
   */
  async retryJob(id: Id, options: ChangeOptions = {}): Promise<Job> {
    await this.#requireJobControl("Retrying a job", options);
    return await this.#engine.change("retryJob", { id }, options);
  }

  /** Returns a page of documents, most recently modified or created first. */
  documents(query: DocumentsQuery = {}, options?: CallOptions): Promise<DocumentPage> {
    return this.#engine.call("listDocuments", { query }, options);
  }

  /** Lists or counts the documents that pass filters. Needs an engine with contract 3.3. */
  queryDocuments(request: DocumentListRequest, options?: CallOptions): Promise<DocumentList> {
    return this.#engine.call("queryDocuments", { json: request }, options);
  }

  /** Returns a document with the requested page of chunks. Default: all chunks. */
  document(id: Id, query: DocumentQuery = {}, options?: CallOptions): Promise<Document> {
    return this.#engine.document(id, query, options);
  }

  /** Returns a page of the former versions of a document, newest first. The document may be deleted. */
  listRevisions(id: Id, query: PageQuery = {}, options?: CallOptions): Promise<RevisionPage> {
    return this.#engine.call("listRevisions", { id, query }, options);
  }

  /** Returns a page of the deleted documents that can be restored, most recently deleted first. */
  listTrash(query: PageQuery = {}, options?: CallOptions): Promise<TrashPage> {
    return this.#engine.call("listTrash", { query }, options);
  }

  /**
   * Restores a former version of a document, as its new version. Default: a deleted document as it was, else
   * the version before the last change. Fails with `conflict` if another document has its `source_path` now.
   */
  restoreDocument(id: Id, request: RestoreRequest = {}, options?: ChangeOptions): Promise<RestoredDocument> {
    return this.#engine.change("restoreDocument", { id, json: request }, options);
  }

  /** Moves a document to the trash, or erases it at once. */
  deleteDocument(id: Id, { permanent, ...options }: DeleteOptions = {}): Promise<DeletedDocument> {
    const query = permanent ? { query: { permanent } } : {};
    return this.#engine.change("deleteDocument", { id, ...query }, options);
  }

  /** Removes tags, then adds tags, in one transaction. */
  changeTags(id: Id, change: Readonly<Partial<TagChange>>, options?: ChangeOptions): Promise<DocumentTags> {
    return this.#engine.changeTags(id, change, options);
  }

  /**
   * Changes title, tags, path, metadata or parts of the text, all or nothing. Needs contract 3.3.
   */
  async editDocument(id: Id, edit: DocumentEdit, options: ChangeOptions = {}): Promise<EditedDocument> {
    const { signal, timeoutMs } = options;
    await this.requireVersion("kb_edit", { orUnknown: true, signal, timeoutMs });
    return await this.#engine.change("editDocument", { id, json: edit }, options);
  }

  /**
   * Stores documents as they were in another knowledge base or program. Documents that are stored already stay
   * unchanged, so that an import can be repeated.
   *
   * @throws {EngineError} `engine_too_old` before contract 3.4.
   */
  async importDocuments(request: ImportRequest, options: ChangeOptions = {}): Promise<ImportResponse> {
    const { signal, timeoutMs } = options;
    await this.requireVersion("import", { minimum: "3.4.0", signal, timeoutMs });
    return await this.#engine.change("importDocuments", { json: request }, options);
  }

  /**
   * Returns notes that say nearly the same as a new one, most similar first.
   *
   * @throws {EngineError} `engine_too_old` before contract 3.3.
   */
  async similarNotes(request: SimilarRequest, options?: CallOptions): Promise<SimilarNotes> {
    await this.#engine.requireVersion("similar", options);
    return await this.#engine.call("similarNotes", { json: request }, options);
  }

  /** Replaces a note's text, and its title if there is one in `patch`. */
  updateNote(id: Id, patch: NotePatch, options?: ChangeOptions): Promise<Document> {
    return this.#engine.change("updateNote", { id, json: patch }, options);
  }

  /** Returns all sources by name. Needs contract 3.4, like everything about sources. */
  async sources(options?: CallOptions): Promise<Source[]> {
    await this.#requireSources(options);
    return (await this.#engine.call("listSources", {}, options)).sources;
  }

  /** Adds a source, or changes the options of the one with its name. A folder only from the engine's machine. */
  async addSource(source: NewSource, options?: ChangeOptions): Promise<Source> {
    await this.#requireSources(options);
    return await this.#engine.change("addSource", { json: source }, options);
  }

  /** Returns a source. */
  async source(id: Id, options?: CallOptions): Promise<Source> {
    await this.#requireSources(options);
    return await this.#engine.call("getSource", { id }, options);
  }

  /** Removes a source, and its documents unless `keep_documents` is true. */
  async removeSource(id: Id, query: RemoveSourceQuery = {}, options?: ChangeOptions): Promise<RemovedSource> {
    await this.#requireSources(options);
    return await this.#engine.change("removeSource", { id, query }, options);
  }

  /** Synchronizes a source, and waits for the end up to `wait_seconds`, within the timeout of the call. */
  async syncSource(id: Id, request: SyncRequest = {}, options?: ChangeOptions): Promise<Source> {
    await this.#requireSources(options);
    return await this.#engine.change("syncSource", { id, json: request }, options);
  }

  /** Creates a Markdown file in a writable source. */
  async writeSourceFile(id: Id, file: NewSourceFile, options?: ChangeOptions): Promise<WrittenFile> {
    await this.#requireSources(options);
    return await this.#engine.change("writeSourceFile", { id, json: file }, options);
  }

  async #requireJobControl(feature: string, { signal, timeoutMs }: CallOptions): Promise<void> {
    await this.requireVersion(feature, { minimum: "3.5.0", signal, timeoutMs });
  }

  async #requireSources({ signal, timeoutMs }: CallOptions = {}): Promise<void> {
    await this.requireVersion("A source", { minimum: "3.4.0", signal, timeoutMs });
  }

  /**
   * Waits until a job has ended, or the timeout expires. Polls engines before contract 3.6.
   *
   * @returns The job as of the last poll. A job that is still running is not an error.
   * @throws {EngineError} Immediately for `cancelled` and other codes that polling again would not change;
   * for any other code only if no poll succeeded.
   */
  waitForJob(id: Id, options: WaitOptions): Promise<Job> {
    const poller = {
      now: () => this.#transport.now(),
      delay: (ms: number, signal: AbortSignal) => this.#transport.delay(ms, signal),
      poll: (poll: CallOptions & { waitMs: number }) => this.job(id, poll),
      isPolled: this.#engine.isBefore("3.6.0"),
    };
    return waitForJob(poller, options);
  }

  async #submit(
    metadata: DocumentMetadata,
    { signal, timeoutMs }: CallOptions = {},
    send: (fields: FormData) => Promise<JobAccepted>,
  ): Promise<SubmittedJob> {
    const { overwrite = false, keepCollection = false, addOnly = false } = metadata;
    if (addOnly) {
      await this.requireVersion("Adding without changing", { minimum: "3.7.0", signal, timeoutMs });
    }
    const requested: NewJobField[] = [];
    if (overwrite) requested.push("overwrite");
    if (keepCollection) requested.push("keep_collection");
    return await this.#jobs.submit(requested, (names) => {
      const fields = formFields(metadata);
      for (const name of names) fields.append(name, "true");
      return send(fields);
    });
  }
}

function formFields({ title, source_path, tags, addOnly }: DocumentMetadata): FormData {
  const form = new FormData();
  if (title !== undefined) form.append("title", title);
  if (source_path !== undefined) form.append("source_path", source_path);
  for (const tag of tags) form.append("tags", tag);
  // Not one of the fields that an engine may ignore.
  if (addOnly) form.append("add_only", "true");
  return form;
}
